# "price(3) must be 3"
sed -i 's/n + 1/n/' src/corner_shop/price.py
