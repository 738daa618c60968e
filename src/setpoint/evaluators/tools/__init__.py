"""Running a tool and believing what it says, or saying why not."""
