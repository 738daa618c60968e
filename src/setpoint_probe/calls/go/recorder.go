
func setpointType(place interface{}) string {
	return setpointreflect.TypeOf(place).Elem().String()
}

var setpointLock setpointsync.Mutex
var setpointCounts = map[string]int{}
var setpointKnown = map[string]bool{}

func setpointSeen(name string, types string, given ...interface{}) {
	setpointLock.Lock()
	defer setpointLock.Unlock()
	if setpointCounts[name] >= 4000 || setpointCounts["kept "+name] >= 80 {
		return
	}
	setpointCounts[name]++
	defer func() { _ = recover() }()
	outer := "true"
	if _, file, _, ok := setpointruntime.Caller(2); ok {
		for _, each := range setpointFiles {
			if setpointstrings.HasSuffix(file, "/"+each) {
				outer = "false"
			}
		}
	}
	why, parts := "", []string{}
	for _, each := range given {
		part, problem := "{\"z\": true}", ""
		if each != nil {
			part, problem = setpointKept(setpointreflect.ValueOf(each).Elem(), 0)
		}
		if problem != "" {
			why = problem
		}
		parts = append(parts, part)
	}
	text := "[" + setpointstrings.Join(parts, ", ") + "]"
	if why == "" && len(text) > 6000 {
		why = "its arguments are too large"
	}
	if why != "" {
		text = "[]"
	}
	line := "{\"name\": " + setpointQuoted(name) + ", \"types\": " + setpointQuoted(types) + ", \"why\": " +
		setpointQuoted(why) + ", \"outer\": " + outer + ", \"given\": " + text + "}\n"
	if setpointKnown[line] {
		return
	}
	setpointKnown[line] = true
	setpointCounts["kept "+name]++
	_ = setpointos.MkdirAll(setpointFolder, 0o755)
	path := setpointFolder + "/" + setpointstrconv.Itoa(setpointos.Getpid()) + ".jsonl"
	if file, err := setpointos.OpenFile(path, setpointos.O_APPEND|setpointos.O_CREATE|setpointos.O_WRONLY, 0o644); err == nil {
		_, _ = file.WriteString(line)
		_ = file.Close()
	}
}

func setpointQuoted(text string) string {
	data, _ := setpointjson.Marshal(text)
	return string(data)
}

func setpointHex(kind string, text string) string {
	return "{\"" + kind + "\": \"" + setpointhex.EncodeToString([]byte(text)) + "\"}"
}

// Keep a value as JSON with a letter for its kind, or say why it cannot be kept.
func setpointKept(given setpointreflect.Value, deep int) (string, string) {
	if !given.IsValid() {
		return "null", ""
	}
	if deep > 7 {
		return "", "its arguments are nested too deeply"
	}
	kind := given.Type()
	if given.CanAddr() {
		given = setpointreflect.NewAt(kind, setpointunsafe.Pointer(given.UnsafeAddr())).Elem()
	}
	if kind.String() == "time.Time" && given.CanInterface() {
		text, err := given.Interface().(interface{ MarshalText() ([]byte, error) }).MarshalText()
		if err != nil {
			return "", "it takes a time that cannot be written"
		}
		return "{\"d\": " + setpointQuoted(string(text)) + "}", ""
	}
	switch given.Kind() {
	case setpointreflect.Bool:
		return setpointstrconv.FormatBool(given.Bool()), ""
	case setpointreflect.Int, setpointreflect.Int8, setpointreflect.Int16, setpointreflect.Int32, setpointreflect.Int64:
		return "{\"n\": \"" + setpointstrconv.FormatInt(given.Int(), 10) + "\"}", ""
	case setpointreflect.Uint, setpointreflect.Uint8, setpointreflect.Uint16, setpointreflect.Uint32, setpointreflect.Uint64, setpointreflect.Uintptr:
		return "{\"n\": \"" + setpointstrconv.FormatUint(given.Uint(), 10) + "\"}", ""
	case setpointreflect.Float32, setpointreflect.Float64:
		return "{\"f\": \"" + setpointstrconv.FormatFloat(given.Float(), 'g', -1, 64) + "\"}", ""
	case setpointreflect.String:
		if !setpointutf8.ValidString(given.String()) {
			return setpointHex("h", given.String()), ""
		}
		return "{\"t\": " + setpointQuoted(given.String()) + "}", ""
	case setpointreflect.Slice, setpointreflect.Array:
		if given.Kind() == setpointreflect.Slice && given.IsNil() {
			return "null", ""
		}
		if given.Kind() == setpointreflect.Slice && kind.Elem().Kind() == setpointreflect.Uint8 {
			return setpointHex("y", string(given.Bytes())), ""
		}
		if given.Len() > 600 {
			return "", "its arguments are too large"
		}
		parts := []string{}
		for at := 0; at < given.Len(); at++ {
			part, why := setpointKept(given.Index(at), deep+1)
			if why != "" {
				return "", why
			}
			parts = append(parts, part)
		}
		return "{\"l\": [" + setpointstrings.Join(parts, ", ") + "]}", ""
	case setpointreflect.Map:
		if given.IsNil() {
			return "null", ""
		}
		parts := []string{}
		for _, key := range given.MapKeys() {
			name, why := setpointKept(key, deep+1)
			if why != "" {
				return "", why
			}
			part, why := setpointKept(given.MapIndex(key), deep+1)
			if why != "" {
				return "", why
			}
			parts = append(parts, "["+name+", "+part+"]")
		}
		setpointsort.Strings(parts)
		return "{\"m\": [" + setpointstrings.Join(parts, ", ") + "]}", ""
	case setpointreflect.Struct:
		if kind.PkgPath() == "sync" || kind.PkgPath() == "sync/atomic" {
			return "{\"z\": true}", ""
		}
		parts := []string{}
		for at := 0; at < given.NumField(); at++ {
			part, why := setpointKept(given.Field(at), deep+1)
			if why != "" {
				return "", why
			}
			parts = append(parts, setpointQuoted(kind.Field(at).Name)+": "+part)
		}
		return "{\"s\": {" + setpointstrings.Join(parts, ", ") + "}}", ""
	case setpointreflect.Ptr:
		if given.IsNil() {
			return "null", ""
		}
		part, why := setpointKept(given.Elem(), deep+1)
		return "{\"p\": " + part + "}", why
	case setpointreflect.Interface:
		if given.IsNil() {
			return "null", ""
		}
		return setpointKeptDynamic(given.Elem(), deep)
	}
	if (given.Kind() == setpointreflect.Func || given.Kind() == setpointreflect.Chan) && given.IsNil() {
		return "null", ""
	}
	return "", "it takes " + map[bool]string{true: "a function", false: "a channel"}[given.Kind() == setpointreflect.Func]
}

// Keep what an interface holds, with the name of its type; of errors of the library the text alone.
func setpointKeptDynamic(given setpointreflect.Value, deep int) (string, string) {
	name := given.Type().String()
	switch name {
	case "*errors.errorString", "*fmt.wrapError":
		if name == "*errors.errorString" {
			return "{\"e\": " + setpointQuoted(given.Elem().Field(0).String()) + "}", ""
		}
		return "", "it takes an error that holds another one"
	case "*context.emptyCtx", "context.backgroundCtx", "context.todoCtx":
		return "{\"c\": true}", ""
	}
	part, why := setpointKept(given, deep+1)
	return "{\"i\": [" + setpointQuoted(name) + ", " + part + "]}", why
}
