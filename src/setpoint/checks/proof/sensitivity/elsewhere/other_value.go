
func setpointReturned(place interface{}, how string) {
	held := setpointreflect.ValueOf(place).Elem()
	if made, other := setpointWalk(held, how, 0); other {
		held.Set(made)
	}
}

func setpointWalk(given setpointreflect.Value, how string, deep int) (setpointreflect.Value, bool) {
	made := setpointreflect.New(given.Type()).Elem()
	made.Set(given)
	probe := how[len(how)-1] == '?'
	data := how[0] == 'v' || how[0] == 'w'
	changed := func() (setpointreflect.Value, bool) {
		if probe && data {
			panic("sabotaged by Setpoint")
		}
		return made, true
	}
	if deep > 4 {
		return given, false
	}
	switch given.Kind() {
	case setpointreflect.Func:
		if given.IsNil() || how == "value" {
			return given, false
		}
		if how == "value?" {
			return changed()
		}
		old := setpointreflect.New(given.Type()).Elem()
		old.Set(given)
		made.Set(setpointreflect.MakeFunc(given.Type(), func(args []setpointreflect.Value) []setpointreflect.Value {
			if how == "raises" {
				panic("sabotaged by Setpoint")
			}
			var got []setpointreflect.Value
			if how == "nothing" {
				for at := 0; at < old.Type().NumOut(); at++ {
					got = append(got, setpointreflect.Zero(old.Type().Out(at)))
				}
				return got
			}
			if old.Type().IsVariadic() {
				got = old.CallSlice(args)
			} else {
				got = old.Call(args)
			}
			inner := "w"
			if probe {
				inner = "w?"
			}
			for at := range got {
				got[at], _ = setpointWalk(got[at], inner, deep+1)
			}
			return got
		}))
		return made, true
	case setpointreflect.Interface:
		failure := setpointreflect.TypeOf((*error)(nil)).Elem()
		if given.IsNil() || given.Elem().Type().Implements(failure) {
			return given, false
		}
		inner, other := setpointWalk(given.Elem(), how, deep+1)
		if other {
			made.Set(inner)
		}
		return made, other
	case setpointreflect.Ptr:
		failure := setpointreflect.TypeOf((*error)(nil)).Elem()
		if given.IsNil() || given.Elem().Kind() != setpointreflect.Struct || given.Type().Implements(failure) {
			return given, false
		}
		inner, other := setpointWalk(given.Elem(), how, deep+1)
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
				inner, other := setpointWalk(given.Field(at), how, deep+1)
				made.Field(at).Set(inner)
				some = some || other
			}
		}
		return made, some
	case setpointreflect.Array, setpointreflect.Slice:
		size, some := given.Len(), false
		if given.Kind() == setpointreflect.Slice {
			if size == 0 {
				return given, false
			}
			made.Set(setpointreflect.MakeSlice(given.Type(), size, size))
		}
		for at := 0; at < size; at++ {
			inner, other := setpointWalk(given.Index(at), how, deep+1)
			made.Index(at).Set(inner)
			some = some || other
		}
		if data && given.Kind() == setpointreflect.Slice && (size > 1 || !some) {
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
			inner, other := setpointWalk(given.MapIndex(key), how, deep+1)
			some = some || other
			if left--; !data || left > 0 || (size == 1 && some) {
				made.SetMapIndex(key, inner)
			}
		}
		if data {
			return changed()
		}
		return made, some
	}
	if !data {
		return given, false
	}
	switch given.Kind() {
	case setpointreflect.Bool:
		made.SetBool(!given.Bool())
	case setpointreflect.Int, setpointreflect.Int8, setpointreflect.Int16, setpointreflect.Int32, setpointreflect.Int64:
		made.SetInt(-given.Int() - 7)
	case setpointreflect.Uint, setpointreflect.Uint8, setpointreflect.Uint16, setpointreflect.Uint32, setpointreflect.Uint64:
		made.SetUint(given.Uint() + 7)
	case setpointreflect.Float32, setpointreflect.Float64:
		made.SetFloat(-given.Float() - 7)
	case setpointreflect.String:
		turned := []byte{}
		for at := given.Len() - 1; at >= 0; at-- {
			turned = append(turned, given.String()[at])
		}
		made.SetString(string(turned) + "~")
	default:
		return given, false
	}
	return changed()
}
