#[allow(warnings)] struct SetpointHeld<T>(::std::cell::Cell<Option<T>>);
#[allow(warnings)] trait SetpointBasic { fn another(self) -> Self; }
#[allow(warnings)] trait SetpointKnown { type Out; fn other(&self) -> Self::Out; }
#[allow(warnings)] trait SetpointCut { type Out; fn other(&self) -> Self::Out; }
#[allow(warnings)] trait SetpointUnknown { type Out; fn other(&self) -> Self::Out; }
#[allow(warnings)] fn setpoint_changed<T>(made: T) -> T { if PROBE { panic!("sabotaged by Setpoint") } made }
#[allow(warnings)] macro_rules! setpoint_basic {
    ($($kind:ty, $given:ident, $other:expr;)*) => {
        $(impl SetpointBasic for $kind { fn another(self) -> Self { let $given = self; setpoint_changed($other) } })*
    };
}
setpoint_basic! {
    u8, v, v.wrapping_add(7); u16, v, v.wrapping_add(7); u32, v, v.wrapping_add(7); u64, v, v.wrapping_add(7);
    u128, v, v.wrapping_add(7); usize, v, v.wrapping_add(7); i8, v, v.wrapping_add(7); i16, v, v.wrapping_add(7);
    i32, v, v.wrapping_add(7); i64, v, v.wrapping_add(7); i128, v, v.wrapping_add(7); isize, v, v.wrapping_add(7);
    f32, v, -v - 7.0; f64, v, -v - 7.0; bool, v, !v; char, v, if v == '~' { '#' } else { '~' };
    String, v, v.chars().rev().collect::<String>() + "~";
    ::std::path::PathBuf, v, v.join("~");
    ::std::time::Duration, v, v + ::std::time::Duration::from_secs(7);
}
#[allow(warnings)] impl<'a> SetpointBasic for &'a str {
    fn another(self) -> Self { setpoint_changed(Box::leak((self.chars().rev().collect::<String>() + "~").into_boxed_str())) }
}
#[allow(warnings)] impl<'a> SetpointBasic for ::std::borrow::Cow<'a, str> {
    fn another(self) -> Self { ::std::borrow::Cow::Owned(self.into_owned().another()) }
}
#[allow(warnings)] impl<B: SetpointBasic> SetpointBasic for Option<B> { fn another(self) -> Self { self.map(SetpointBasic::another) } }
#[allow(warnings)] impl<B: SetpointBasic, E> SetpointBasic for Result<B, E> { fn another(self) -> Self { self.map(SetpointBasic::another) } }
#[allow(warnings)] impl<B: SetpointBasic> SetpointBasic for Box<B> { fn another(self) -> Self { Box::new((*self).another()) } }
#[allow(warnings)] impl<A: SetpointBasic, B: SetpointBasic> SetpointBasic for (A, B) {
    fn another(self) -> Self { (self.0.another(), self.1.another()) }
}
#[allow(warnings)] impl<A: SetpointBasic, B: SetpointBasic, C: SetpointBasic> SetpointBasic for (A, B, C) {
    fn another(self) -> Self { (self.0.another(), self.1.another(), self.2.another()) }
}
#[allow(warnings)] impl<B: SetpointBasic> SetpointBasic for Vec<B> {
    fn another(mut self) -> Self {
        if self.len() > 1 { self.pop(); }
        self.into_iter().map(SetpointBasic::another).collect()
    }
}
#[allow(warnings)] impl<K: ::std::cmp::Eq + ::std::hash::Hash, B: SetpointBasic> SetpointBasic for ::std::collections::HashMap<K, B> {
    fn another(self) -> Self {
        let cut = usize::from(self.len() > 1);
        self.into_iter().skip(cut).map(|(key, value)| (key, value.another())).collect()
    }
}
#[allow(warnings)] impl<K: ::std::cmp::Ord, B: SetpointBasic> SetpointBasic for ::std::collections::BTreeMap<K, B> {
    fn another(self) -> Self {
        let cut = usize::from(self.len() > 1);
        self.into_iter().skip(cut).map(|(key, value)| (key, value.another())).collect()
    }
}
#[allow(warnings)] impl<B: SetpointBasic> SetpointKnown for &&SetpointHeld<B> {
    type Out = B;
    fn other(&self) -> B { self.0.take().unwrap().another() }
}
#[allow(warnings)] impl<T> SetpointCut for &SetpointHeld<Vec<T>> {
    type Out = Vec<T>;
    fn other(&self) -> Vec<T> {
        let mut held = self.0.take().unwrap();
        if held.pop().is_some() { setpoint_changed(held) } else { held }
    }
}
#[allow(warnings)] impl<T> SetpointUnknown for SetpointHeld<T> {
    type Out = T;
    fn other(&self) -> T { self.0.take().unwrap() }
}
