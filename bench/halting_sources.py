"""Sources of the small packages of `bench/halting_mechanic.py`; its bugs are seeded into them."""

NUMBERS = """
def clamp(value, low, high):
    if low > high:
        raise ValueError("low is above high")
    if value < low:
        return low
    if value > high:
        return high
    return value


def digits(number, radix):
    if radix < 2:
        raise ValueError("radix is below 2")
    rest = abs(number)
    found = []
    while rest > 0:
        found.append(rest % radix)
        rest = rest // radix
    found.reverse()
    return found or [0]


def is_prime(number):
    if number < 2:
        return False
    divisor = 2
    while divisor * divisor <= number:
        if number % divisor == 0:
            return False
        divisor += 1
    return True


def divisor_sum(number):
    total = 0
    for each in range(1, abs(number) + 1):
        if number % each == 0:
            total += each
    return total


def power(base, exponent, modulus):
    result = 1
    factor = base % modulus
    while exponent > 0:
        if exponent % 2 == 1:
            result = result * factor % modulus
        factor = factor * factor % modulus
        exponent //= 2
    return result % modulus
"""
LISTS = """
def merged(left, right):
    left, right = sorted(left), sorted(right)
    found = []
    i, j = 0, 0
    while i < len(left) and j < len(right):
        if left[i] <= right[j]:
            found.append(left[i])
            i += 1
        else:
            found.append(right[j])
            j += 1
    found.extend(left[i:])
    found.extend(right[j:])
    return found


def rotated(values, steps):
    if not values:
        return []
    steps = steps % len(values)
    return values[steps:] + values[:steps]


def chunks(values, size):
    if size < 1:
        raise ValueError("size is below 1")
    found = []
    for start in range(0, len(values), size):
        found.append(values[start:start + size])
    return found


def longest_run(values):
    best, length = 0, 0
    before = None
    for place, each in enumerate(values):
        if place > 0 and each == before:
            length += 1
        else:
            length = 1
        best = max(best, length)
        before = each
    return best


def insert_place(values, wanted):
    values = sorted(values)
    low, high = 0, len(values)
    while low < high:
        middle = (low + high) // 2
        if values[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low
"""
TEXTS = """
def slug(text):
    found = []
    gap = False
    for letter in text.lower():
        if letter.isalnum():
            if gap and found:
                found.append("-")
            found.append(letter)
            gap = False
        else:
            gap = True
    return "".join(found)


def wrapped(words, width):
    lines, line = [], ""
    for each in words:
        if not line:
            line = each
        elif len(line) + 1 + len(each) <= width:
            line = line + " " + each
        else:
            lines.append(line)
            line = each
    if line:
        lines.append(line)
    return lines


def packed(text):
    found = ""
    count = 0
    for place, letter in enumerate(text):
        count += 1
        if place + 1 == len(text) or text[place + 1] != letter:
            found += letter
            if count > 1:
                found += str(count)
            count = 0
    return found


def shifted(text, by):
    found = []
    for letter in text:
        if letter.islower():
            found.append(chr((ord(letter) - 97 + by) % 26 + 97))
        elif letter.isupper():
            found.append(chr((ord(letter) - 65 + by) % 26 + 65))
        else:
            found.append(letter)
    return "".join(found)


def distance(left, right):
    before = list(range(len(right) + 1))
    for i, a in enumerate(left, start=1):
        row = [i]
        for j, b in enumerate(right, start=1):
            price = 0 if a == b else 1
            row.append(min(row[j - 1] + 1, before[j] + 1, before[j - 1] + price))
        before = row
    return before[-1]
"""
SPANS = """
def joined(spans):
    found = []
    for start, end in sorted(spans):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], end))
        else:
            found.append((start, end))
    return found


def covered(spans, point):
    for start, end in spans:
        if start <= point < end:
            return True
    return False


def free(spans, low, high):
    found = []
    at = low
    for start, end in sorted(spans):
        if start > at:
            found.append((at, min(start, high)))
        at = max(at, end)
        if at >= high:
            break
    if at < high:
        found.append((at, high))
    return found


def busiest(spans):
    changes = []
    for start, end in spans:
        changes.append((start, 1))
        changes.append((end, -1))
    most, now = 0, 0
    for _, change in sorted(changes):
        now += change
        if now > most:
            most = now
    return most


def kept(spans):
    count = 0
    last = None
    for start, end in sorted(spans, key=lambda span: span[1]):
        if last is None or start >= last:
            count += 1
            last = end
    return count
"""
SHOP = """
def price(amount, unit, member):
    if amount < 0:
        raise ValueError("amount is below 0")
    total = amount * unit
    if amount >= 5:
        total -= total // 10
    if member and total > 20:
        total -= 3
    return total


def change(amount, coins):
    found = []
    for coin in sorted(coins, reverse=True):
        while coin > 0 and amount >= coin:
            found.append(coin)
            amount -= coin
    return found if amount == 0 else []


def stock_after(stock, orders):
    left = stock
    refused = 0
    for each in orders:
        if each < 0:
            left += -each
        elif each <= left:
            left -= each
        else:
            refused += 1
    return left, refused


def grade(points, most):
    if most <= 0:
        return "none"
    share = points * 100 // most
    if share >= 90:
        return "A"
    if share >= 75:
        return "B"
    if share >= 50:
        return "C"
    return "D"


def shipping(weight, express, country):
    if weight <= 0:
        return 0
    cost = 4 + 2 * (weight // 3)
    if country != "home":
        cost = cost * 2
    if express:
        cost += 7
    return min(cost, 60)
"""
GRIDS = """
def around(grid, row, column):
    total = 0
    for i in range(row - 1, row + 2):
        for j in range(column - 1, column + 2):
            if (i, j) == (row, column):
                continue
            if 0 <= i < len(grid) and 0 <= j < len(grid[i]):
                total += grid[i][j]
    return total


def turned(grid):
    if not grid:
        return []
    width = min(len(row) for row in grid)
    return [[row[j] for row in reversed(grid)] for j in range(width)]


def steps(grid, start, goal):
    waiting = [(start, 0)]
    seen = {start}
    while waiting:
        (i, j), count = waiting.pop(0)
        if (i, j) == goal:
            return count
        for a, b in ((i + 1, j), (i - 1, j), (i, j + 1), (i, j - 1)):
            inside = 0 <= a < len(grid) and 0 <= b < len(grid[a])
            if inside and grid[a][b] == 0 and (a, b) not in seen:
                seen.add((a, b))
                waiting.append(((a, b), count + 1))
    return -1


def best_path(grid):
    if not grid or not grid[0]:
        return 0
    width = min(len(row) for row in grid)
    best = [0] * (width + 1)
    for row in grid:
        for j in range(width):
            best[j + 1] = max(best[j], best[j + 1]) + row[j]
    return best[-1]
"""
