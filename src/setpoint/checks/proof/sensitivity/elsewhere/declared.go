
func setpointDeclared[T any](given T, how string) T {
	setpointReturned(&given, how)
	return given
}
