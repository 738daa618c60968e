// Answers recorded calls with the functions of this package; one process after another, as calls may never end.
package «PACKAGE»

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"reflect"
	"runtime"
	"sort"
	"strconv"
	"strings"
	"testing"
	"time"
	"unsafe"
)

const (
	setpointCalls    = «CALLS»
	setpointAnswers  = «ANSWERS»
	setpointScratch  = «SCRATCH»
	setpointVariable = «VARIABLE»
	setpointPath     = «PATH»
	setpointWall     = «WALL» * time.Millisecond
	setpointSilence  = 1500 * time.Millisecond
	setpointRestarts = 6
	setpointTimes    = 4
	setpointMemory   = 1 << 30
)

var setpointFunctions = map[string]interface{}{«FUNCTIONS»}

var setpointTypes = []reflect.Type{«TYPES»}

var setpointLoose = map[string]bool{«LOOSE»}

var setpointErrors = map[string]interface{}{«ERRORS»}

type setpointCall struct {
	Number int
	Key    string
	Given  []interface{}
	First  []struct {
		Key   string
		Given []interface{}
	}
}

func «TESTNAME»(t *testing.T) {
	if os.Getenv(setpointVariable) != "" {
		setpointChild(os.Getenv(setpointVariable))
		return
	}
	skip, until := map[string]bool{}, time.Now().Add(setpointWall)
	for turn := 0; turn < setpointRestarts && time.Now().Before(until); turn++ {
		if setpointFollow(skip, until) {
			return
		}
	}
}

// Run a process that answers; whether it came to its end. The function that ended it otherwise is left out.
func setpointFollow(skip map[string]bool, until time.Time) bool {
	words := []string{"-"}
	for each := range skip {
		words = append(words, each)
	}
	command := exec.Command(os.Args[0], "-test.run=^«TESTNAME»$")
	command.Env = append(os.Environ(), setpointVariable+"="+strings.Join(words, "\n"))
	output, err := command.StdoutPipe()
	if err != nil || command.Start() != nil {
		return true
	}
	lines := make(chan string)
	go func() {
		defer close(lines)
		scanner := bufio.NewScanner(output)
		for scanner.Scan() {
			if at := strings.Index(scanner.Text(), setpointVariable+" "); at >= 0 {
				lines <- scanner.Text()[at+len(setpointVariable)+1:]
			}
		}
	}()
	at, ended := "", false
	for open := true; open; {
		select {
		case line, more := <-lines:
			open = more
			if line == "end" {
				ended = true
			} else if more {
				at = line
			}
		case <-time.After(setpointSilence):
			open = false
		case <-time.After(time.Until(until)):
			open = false
		}
	}
	_ = command.Process.Kill()
	go func() {
		for range lines {
		}
	}()
	_ = command.Wait()
	if at != "" {
		number, key := at, ""
		if place := strings.Index(at, " "); place >= 0 {
			number, key = at[:place], at[place+1:]
		}
		if !ended {
			skip[key] = true
			setpointWrite(number, "time", "", "no end", "")
		}
	}
	return ended || at == ""
}

func setpointChild(words string) {
	skip := map[string]bool{}
	for _, each := range strings.Split(words, "\n") {
		skip[each] = true
	}
	done := map[string]bool{}
	if data, err := os.ReadFile(setpointAnswers); err == nil {
		for _, line := range strings.Split(string(data), "\n") {
			var held struct{ Number int }
			if json.Unmarshal([]byte(line), &held) == nil {
				done[strconv.Itoa(held.Number)] = true
			}
		}
	}
	go setpointWatch()
	told := os.Stdout
	data, err := os.ReadFile(setpointCalls)
	_ = os.Chdir(setpointScratch)
	if err != nil {
		return
	}
	for _, line := range strings.Split(string(data), "\n") {
		var call setpointCall
		if json.Unmarshal([]byte(line), &call) != nil || setpointFunctions[call.Key] == nil {
			continue
		}
		if number := strconv.Itoa(call.Number); !skip[call.Key] && !done[number] {
			fmt.Fprintln(told, "\n"+setpointVariable, number, call.Key)
			setpointAnswer(number, call)
		}
	}
	os.Stdout = told
	fmt.Fprintln(told, "\n"+setpointVariable, "end")
	os.Exit(0)
}

func setpointWatch() {
	for {
		var held runtime.MemStats
		runtime.ReadMemStats(&held)
		if held.HeapSys > setpointMemory {
			os.Exit(3)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func setpointWrite(number, kind, told, shown, vague string) {
	sum := sha256.Sum256([]byte(told))
	at, _ := strconv.Atoi(number)
	line, _ := json.Marshal(map[string]interface{}{
		"number": at, "kind": kind, "told": hex.EncodeToString(sum[:]), "shown": shown, "vague": vague,
	})
	if file, err := os.OpenFile(setpointAnswers, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644); err == nil {
		_, _ = file.Write(append(line, '\n'))
		_ = file.Close()
	}
}

// Answer a call several times: what comes of it each time otherwise is chance.
func setpointAnswer(number string, call setpointCall) {
	function := reflect.ValueOf(setpointFunctions[call.Key])
	kind, whole, vague := setpointOnce(function, call)
	for turn := 1; turn < setpointTimes && kind != "unfit"; turn++ {
		if again, other, _ := setpointOnce(function, call); again != kind || other != whole {
			kind, whole = "unfit", "it answers otherwise each time"
		}
	}
	shown := []rune(whole)
	if len(shown) > 120 {
		shown = append(shown[:117], []rune("...")...)
	}
	setpointWrite(number, kind, whole, string(shown), vague)
}

func setpointOnce(function reflect.Value, call setpointCall) (kind, whole, vague string) {
	given, why := setpointPrepared(function.Type(), call.Given)
	if why != "" {
		return "unfit", why, ""
	}
	for _, step := range call.First {
		method := reflect.ValueOf(setpointFunctions[step.Key])
		if !method.IsValid() {
			return "unfit", "a method is missing that is called before", ""
		}
		more, why := setpointPrepared(method.Type(), step.Given)
		if why != "" || more[0].Type() != given[0].Type() {
			return "unfit", why, ""
		}
		more[0] = given[0]
		setpointResults(method, more)
	}
	teller := &setpointTeller{}
	before := (&setpointTeller{}).all(given)
	printed, _ := os.CreateTemp(setpointScratch, "printed")
	old := os.Stdout
	os.Stdout = printed
	results, panicked := setpointResults(function, given)
	os.Stdout = old
	said, _ := os.ReadFile(printed.Name())
	_ = printed.Close()
	_ = os.Remove(printed.Name())
	if panicked {
		return "raises", "panics", ""
	}
	whole = strings.Join(teller.all(results), ", ")
	if whole == "" {
		whole = "nothing"
	}
	if len(said) > 0 {
		whole += " and prints " + strconv.Quote(string(said))
	}
	for place, then := range (&setpointTeller{}).all(given) {
		if then != before[place] {
			whole += " (an argument is then " + then + ")"
		}
	}
	return "value", whole, teller.vague
}

func setpointResults(function reflect.Value, given []reflect.Value) (results []reflect.Value, panicked bool) {
	panicked = true
	ended := make(chan bool)
	go func() {
		defer close(ended)
		defer func() { _ = recover() }()
		if function.Type().IsVariadic() {
			results = function.CallSlice(given)
		} else {
			results = function.Call(given)
		}
		panicked = false
	}()
	<-ended
	return results, panicked
}

func setpointPrepared(kind reflect.Type, held []interface{}) (given []reflect.Value, why string) {
	defer func() {
		if fault := recover(); fault != nil {
			why = fmt.Sprint(fault)
		}
	}()
	if kind.NumIn() != len(held) {
		return nil, "it takes other arguments"
	}
	for place, each := range held {
		target := reflect.New(kind.In(place)).Elem()
		setpointPut(target, each)
		given = append(given, target)
	}
	return given, ""
}

func setpointOpen(place reflect.Value) reflect.Value {
	return reflect.NewAt(place.Type(), unsafe.Pointer(place.UnsafeAddr())).Elem()
}

// Put a value that was kept into a place; panics where the place has another type.
func setpointPut(place reflect.Value, held interface{}) {
	place = setpointOpen(place)
	entry, _ := held.(map[string]interface{})
	if entry["made"] != nil {
		setpointPutMade(place, entry["made"].([]interface{}))
		return
	}
	if place.Kind() == reflect.Ptr && held != nil && entry["p"] == nil {
		place.Set(reflect.New(place.Type().Elem()))
		setpointPut(place.Elem(), held)
		return
	}
	if entry["p"] != nil && place.Kind() != reflect.Ptr {
		setpointPut(place, entry["p"])
		return
	}
	switch {
	case held == nil || entry["z"] != nil:
		return
	case place.Kind() == reflect.Bool:
		place.SetBool(held.(bool))
	case entry["n"] != nil:
		setpointPutNumber(place, entry["n"].(string))
	case entry["f"] != nil:
		number, err := strconv.ParseFloat(entry["f"].(string), 64)
		if err != nil {
			panic(err)
		}
		place.SetFloat(number)
	case entry["t"] != nil:
		place.SetString(entry["t"].(string))
	case entry["h"] != nil || entry["y"] != nil:
		setpointPutBytes(place, entry)
	case entry["l"] != nil:
		setpointPutList(place, entry["l"].([]interface{}))
	case entry["m"] != nil:
		place.Set(reflect.MakeMap(place.Type()))
		for _, each := range entry["m"].([]interface{}) {
			pair := each.([]interface{})
			key, value := reflect.New(place.Type().Key()).Elem(), reflect.New(place.Type().Elem()).Elem()
			setpointPut(key, pair[0])
			setpointPut(value, pair[1])
			place.SetMapIndex(key, value)
		}
	case entry["s"] != nil:
		setpointPutStruct(place, entry["s"].(map[string]interface{}))
	case entry["p"] != nil:
		place.Set(reflect.New(place.Type().Elem()))
		setpointPut(place.Elem(), entry["p"])
	case entry["d"] != nil:
		moment, err := time.Parse(time.RFC3339Nano, entry["d"].(string))
		if err != nil {
			panic(err)
		}
		place.Set(reflect.ValueOf(moment.In(setpointZone(moment))))
	case entry["e"] != nil:
		place.Set(reflect.ValueOf(setpointError(entry["e"].(string))))
	case entry["c"] != nil:
		place.Set(reflect.ValueOf(context.Background()))
	case entry["i"] != nil:
		pair := entry["i"].([]interface{})
		inner := reflect.New(setpointTypeOf(pair[0].(string))).Elem()
		setpointPut(inner, pair[1])
		place.Set(inner)
	default:
		panic("it takes other arguments")
	}
}

// Put an object into a place that a function of the package makes.
func setpointPutMade(place reflect.Value, held []interface{}) {
	maker := reflect.ValueOf(setpointFunctions[held[0].(string)])
	if !maker.IsValid() {
		panic("the function is missing that makes its objects")
	}
	given, why := setpointPrepared(maker.Type(), held[1].([]interface{}))
	if why != "" {
		panic(why)
	}
	results, panicked := setpointResults(maker, given)
	if panicked || (len(results) > 1 && !results[len(results)-1].IsZero()) {
		panic("its objects cannot be made")
	}
	made := results[0]
	if made.Kind() == reflect.Ptr && made.IsNil() {
		panic("its objects cannot be made")
	}
	if made.Kind() != reflect.Ptr && place.Kind() == reflect.Ptr {
		place.Set(reflect.New(place.Type().Elem()))
		place = place.Elem()
	}
	place.Set(made)
}

func setpointZone(moment time.Time) *time.Location {
	if _, offset := moment.Zone(); offset == 0 {
		return time.UTC
	}
	return moment.Location()
}

func setpointPutNumber(place reflect.Value, text string) {
	switch place.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		number, err := strconv.ParseInt(text, 10, place.Type().Bits())
		if err != nil {
			panic("a number that its type cannot hold")
		}
		place.SetInt(number)
	case reflect.Float32, reflect.Float64:
		number, err := strconv.ParseFloat(text, 64)
		if err != nil {
			panic(err)
		}
		place.SetFloat(number)
	default:
		number, err := strconv.ParseUint(text, 10, place.Type().Bits())
		if err != nil {
			panic("a number that its type cannot hold")
		}
		place.SetUint(number)
	}
}

func setpointPutBytes(place reflect.Value, entry map[string]interface{}) {
	text, _ := entry["h"].(string)
	if entry["y"] != nil {
		text = entry["y"].(string)
	}
	data, err := hex.DecodeString(text)
	if err != nil {
		panic(err)
	}
	if place.Kind() == reflect.String {
		place.SetString(string(data))
		return
	}
	place.SetBytes(data)
}

func setpointPutList(place reflect.Value, items []interface{}) {
	if place.Kind() == reflect.Slice {
		place.Set(reflect.MakeSlice(place.Type(), len(items), len(items)))
	} else if place.Len() != len(items) {
		panic("an array of another size")
	}
	for at, each := range items {
		setpointPut(place.Index(at), each)
	}
}

func setpointPutStruct(place reflect.Value, fields map[string]interface{}) {
	if setpointLoose[place.Type().String()] {
		panic("its objects hold other fields than at the base")
	}
	for name, each := range fields {
		field := place.FieldByName(name)
		if !field.IsValid() {
			panic("its objects hold other fields than at the base")
		}
		setpointPut(field, each)
	}
}

func setpointTypeOf(name string) reflect.Type {
	if strings.HasPrefix(name, "*") {
		return reflect.PtrTo(setpointTypeOf(name[1:]))
	}
	if strings.HasPrefix(name, "[]") {
		return reflect.SliceOf(setpointTypeOf(name[2:]))
	}
	for _, each := range setpointTypes {
		if each.String() == name {
			return each
		}
	}
	panic("it takes a value of the type " + name)
}

func setpointError(text string) error {
	for _, each := range setpointErrors {
		if known, is := each.(error); is && known.Error() == text {
			return known
		}
	}
	return errors.New(text)
}

type setpointTeller struct {
	vague string
	open  []uintptr
}

func (teller *setpointTeller) all(values []reflect.Value) (texts []string) {
	for _, each := range values {
		held := reflect.New(each.Type()).Elem()
		held.Set(each)
		texts = append(texts, teller.tell(held))
	}
	return texts
}

// Tell a value by what it is made of; nothing and an empty list are told alike.
func (teller *setpointTeller) tell(given reflect.Value) string {
	if given.CanAddr() {
		given = setpointOpen(given)
	}
	if len(teller.open) > 24 {
		return "..."
	}
	if given.CanInterface() && !(setpointCanBeNil(given) && given.IsNil()) {
		if text, told := teller.special(given); told {
			return text
		}
	}
	switch given.Kind() {
	case reflect.Bool:
		return strconv.FormatBool(given.Bool())
	case reflect.Float32, reflect.Float64:
		return setpointFloat(given.Float(), given.Type().Bits())
	case reflect.Complex64, reflect.Complex128:
		return fmt.Sprint(given.Complex())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return strconv.FormatInt(given.Int(), 10)
	case reflect.String:
		return strconv.Quote(given.String())
	case reflect.Array, reflect.Slice:
		return teller.list(given)
	case reflect.Map:
		parts := []string{}
		for _, key := range given.MapKeys() {
			parts = append(parts, teller.copied(key)+": "+teller.copied(given.MapIndex(key)))
		}
		sort.Strings(parts)
		return "map[" + strings.Join(parts, ", ") + "]"
	case reflect.Struct:
		return teller.fields(given)
	case reflect.Ptr, reflect.Interface:
		return teller.held(given)
	case reflect.Func, reflect.Chan, reflect.UnsafePointer:
		if given.IsNil() {
			return "nil"
		}
		teller.vague = "a " + given.Kind().String()
		return teller.vague
	}
	return strconv.FormatUint(given.Uint(), 10)
}

func setpointCanBeNil(given reflect.Value) bool {
	switch given.Kind() {
	case reflect.Ptr, reflect.Interface, reflect.Map, reflect.Slice, reflect.Func, reflect.Chan, reflect.UnsafePointer:
		return true
	}
	return false
}

func setpointFloat(number float64, bits int) string {
	if math.IsNaN(number) {
		return "NaN"
	}
	return strconv.FormatFloat(number, 'g', -1, bits)
}

func (teller *setpointTeller) copied(given reflect.Value) string {
	held := reflect.New(given.Type()).Elem()
	if given.CanInterface() {
		held.Set(given)
		return teller.tell(held)
	}
	return teller.tell(given)
}

// Tell errors by their text and the known ones that they are, and what libraries define by its own text.
func (teller *setpointTeller) special(given reflect.Value) (string, bool) {
	value := given.Interface()
	if failure, is := value.(error); is && given.Kind() == reflect.Interface {
		known := []string{}
		for name, each := range setpointErrors {
			if other, is := each.(error); is && errors.Is(failure, other) {
				known = append(known, name)
			}
		}
		sort.Strings(known)
		text := "error " + strconv.Quote(failure.Error())
		if len(known) > 0 {
			text += " (" + strings.Join(known, ", ") + ")"
		}
		return text, true
	}
	if moment, is := value.(time.Time); is {
		return moment.Format(time.RFC3339Nano), true
	}
	kind := given.Type()
	if kind.Kind() == reflect.Ptr {
		kind = kind.Elem()
	}
	if kind.Kind() != reflect.Struct || setpointOwn(kind) {
		return "", false
	}
	text, is := value.(fmt.Stringer)
	if !is && given.CanAddr() {
		text, is = given.Addr().Interface().(fmt.Stringer)
	}
	if is {
		return kind.String() + " " + strconv.Quote(text.String()), true
	}
	return "", false
}

// Whether a type belongs to the project under test.
func setpointOwn(kind reflect.Type) bool {
	return strings.HasPrefix(kind.PkgPath()+"/", setpointPath+"/") || kind.PkgPath() == "main"
}

func (teller *setpointTeller) list(given reflect.Value) string {
	if given.Type().Elem().Kind() == reflect.Uint8 && given.Kind() == reflect.Slice {
		return "bytes " + strconv.Quote(string(given.Bytes()))
	}
	parts := []string{}
	for at := 0; at < given.Len(); at++ {
		parts = append(parts, teller.tell(given.Index(at)))
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

func (teller *setpointTeller) fields(given reflect.Value) string {
	kind, parts := given.Type(), []string{}
	if kind.PkgPath() == "sync" || kind.PkgPath() == "sync/atomic" {
		return "{}"
	}
	foreign := !setpointOwn(kind) && kind.PkgPath() != ""
	loose := setpointLoose[kind.String()]
	for at := 0; at < given.NumField(); at++ {
		field := kind.Field(at)
		if field.PkgPath != "" && (foreign || loose) {
			teller.vague = "an object of " + kind.String()
			continue
		}
		parts = append(parts, field.Name+": "+teller.tell(given.Field(at)))
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

func (teller *setpointTeller) held(given reflect.Value) string {
	if given.IsNil() {
		return "nil"
	}
	if given.Kind() == reflect.Interface {
		inner := given.Elem()
		return teller.copied(inner)
	}
	for _, each := range teller.open {
		if each == given.Pointer() {
			return "itself"
		}
	}
	teller.open = append(teller.open, given.Pointer())
	text := "&" + teller.tell(given.Elem())
	teller.open = teller.open[:len(teller.open)-1]
	return text
}
