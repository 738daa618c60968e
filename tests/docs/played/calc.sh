# "make the failing test pass", in the repository of `setpoint agents test`
sed -i 's/a - b/a + b/' calc.py
