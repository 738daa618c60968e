
func setpointReturned(place interface{}, probe bool) {
	held := setpointreflect.ValueOf(place).Elem()
	if made, other := setpointOther(held, probe, 0); other {
		held.Set(made)
	}
}

func setpointOther(given setpointreflect.Value, probe bool, deep int) (setpointreflect.Value, bool) {
	made := setpointreflect.New(given.Type()).Elem()
	made.Set(given)
	changed := func() (setpointreflect.Value, bool) {
		if probe {
			panic("sabotaged by Setpoint")
		}
		return made, true
	}
	if deep > 4 {
		return given, false
	}
	failure := setpointreflect.TypeOf((*error)(nil)).Elem()
	switch given.Kind() {
	case setpointreflect.Bool:
		made.SetBool(!given.Bool())
		return changed()
	case setpointreflect.Int, setpointreflect.Int8, setpointreflect.Int16, setpointreflect.Int32, setpointreflect.Int64:
		made.SetInt(-given.Int() - 7)
		return changed()
	case setpointreflect.Uint, setpointreflect.Uint8, setpointreflect.Uint16, setpointreflect.Uint32, setpointreflect.Uint64:
		made.SetUint(given.Uint() + 7)
		return changed()
	case setpointreflect.Float32, setpointreflect.Float64:
		made.SetFloat(-given.Float() - 7)
		return changed()
	case setpointreflect.String:
		turned := []byte{}
		for at := given.Len() - 1; at >= 0; at-- {
			turned = append(turned, given.String()[at])
		}
		made.SetString(string(turned) + "~")
		return changed()
	case setpointreflect.Func:
		if given.IsNil() {
			return given, false
		}
		old := setpointreflect.New(given.Type()).Elem()
		old.Set(given)
		made.Set(setpointreflect.MakeFunc(given.Type(), func(args []setpointreflect.Value) []setpointreflect.Value {
			call := old.Call
			if old.Type().IsVariadic() {
				call = old.CallSlice
			}
			got := call(args)
			for at := range got {
				got[at], _ = setpointOther(got[at], probe, deep+1)
			}
			return got
		}))
		return made, true
	case setpointreflect.Interface:
		if given.IsNil() || given.Elem().Type().Implements(failure) {
			return given, false
		}
		inner, other := setpointOther(given.Elem(), probe, deep+1)
		if other {
			made.Set(inner)
		}
		return made, other
	case setpointreflect.Ptr:
		if given.IsNil() || given.Elem().Kind() != setpointreflect.Struct || given.Type().Implements(failure) {
			return given, false
		}
		inner, other := setpointOther(given.Elem(), probe, deep+1)
		if other {
			place := setpointreflect.New(given.Type().Elem())
			place.Elem().Set(inner)
			made.Set(place.Convert(given.Type()))
		}
		return made, other
	case setpointreflect.Struct:
		some := false
		for at := 0; at < given.NumField(); at++ {
			if given.Type().Field(at).PkgPath == "" {
				inner, other := setpointOther(given.Field(at), probe, deep+1)
				made.Field(at).Set(inner)
				some = some || other
			}
		}
		return made, some
	case setpointreflect.Array, setpointreflect.Slice:
		size, some, slice := given.Len(), false, given.Kind() == setpointreflect.Slice
		if slice {
			if size == 0 {
				return given, false
			}
			made.Set(setpointreflect.MakeSlice(given.Type(), size, size))
		}
		for at := 0; at < size; at++ {
			inner, other := setpointOther(given.Index(at), probe, deep+1)
			made.Index(at).Set(inner)
			some = some || other
		}
		if slice && (size > 1 || !some) {
			made.Set(made.Slice(0, size-1))
			return changed()
		}
		return made, some
	case setpointreflect.Map:
		size, some, left := given.Len(), false, given.Len()
		if size == 0 {
			return given, false
		}
		made.Set(setpointreflect.MakeMap(given.Type()))
		for _, key := range given.MapKeys() {
			inner, other := setpointOther(given.MapIndex(key), probe, deep+1)
			some = some || other
			if left--; left > 0 || (size == 1 && some) {
				made.SetMapIndex(key, inner)
			}
		}
		return changed()
	}
	return given, false
}
