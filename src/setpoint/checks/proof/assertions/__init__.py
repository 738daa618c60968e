"""Whether each new assertion can turn its test red."""
