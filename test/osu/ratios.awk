# Ratios of one program: reads lines "size<TAB>contestant<TAB>round<TAB>value" and prints, for each size and peer,
#   size  peer  ratio  mode  rounds of MPL/peer  value of MPL  value of the peer  spread
# The ratio is less than 1 where MPL is better. Variables: better = low or high, widest = greatest spread allowed.
#
# On many virtual machines a small message between two cores takes a fast way in some runs and a slow one, of twice the
# time and more, in others, whatever the library. So the values of a size are cut at twice the least of all (for
# bandwidths: half of the greatest), and medians are compared within one part: the better one if both have three rounds
# in it, else the other. The spread is the distance of the quartiles over the median, the wider one of the two.
BEGIN { FS = OFS = "\t" }

{
  if (!($1 in sizeSeen)) { sizeSeen[$1]; sizes[++sizeCount] = $1 }
  if (!($2 in whoSeen)) { whoSeen[$2]; peers[++peerCount] = $2 }
  key = $1 SUBSEP $2
  value[key, ++number[key]] = $4
  if (!($1 in best) || (better == "low" ? $4 < best[$1] : $4 > best[$1])) best[$1] = $4
}

# Sorts the values of one part of a size into `part`; gives how many there are.
function take(size, who, slow,    i, j, n, v, key, isSlow) {
  key = size SUBSEP who
  n = 0
  for (i = 1; i <= number[key]; i++) {
    v = value[key, i]
    isSlow = better == "low" ? v > 2 * best[size] : v < best[size] / 2
    if (slow != 2 && isSlow != slow) continue
    for (j = n++; j > 0 && part[j] > v; j--) part[j + 1] = part[j]
    part[j + 1] = v
  }
  return n
}

# Value at the fraction f of the sorted part.
function at(f, n,    place, low) {
  place = 1 + f * (n - 1)
  low = int(place)
  return low >= n ? part[n] : part[low] + (place - low) * (part[low + 1] - part[low])
}

function measure(size, who, slow) {
  count = take(size, who, slow)
  if (count == 0) return 0
  middle = at(0.5, count)
  wide = middle > 0 ? (at(0.75, count) - at(0.25, count)) / middle : 0
  return count
}

END {
  for (s = 1; s <= sizeCount; s++) {
    size = sizes[s]
    for (p = 1; p <= peerCount; p++) {
      who = peers[p]
      if (who == "mpl" || !((size SUBSEP who) in number)) continue
      mode = "-"
      for (slow = 0; slow <= 1 && mode == "-"; slow++) {
        mine = measure(size, "mpl", slow); mineMiddle = middle; mineWide = wide
        theirs = measure(size, who, slow); theirMiddle = middle; theirWide = wide
        if (mine >= 3 && theirs >= 3) mode = slow ? "slow" : "fast"
      }
      if (mode == "-") {
        # No common mode: all rounds together, which the spread will judge.
        mine = measure(size, "mpl", 2); mineMiddle = middle; mineWide = wide
        theirs = measure(size, who, 2); theirMiddle = middle; theirWide = wide
        mode = "all"
      }
      if (mine == 0 || theirs == 0) continue
      spread = mineWide > theirWide ? mineWide : theirWide
      ratio = better == "low" ? mineMiddle / theirMiddle : theirMiddle / mineMiddle
      # Not a ratio: the values scatter too much.
      text = sprintf("%.3f", ratio)
      if (spread > widest) text = "wide"
      print size, who, text, mode, mine "/" theirs, sprintf("%.3f", mineMiddle), sprintf("%.3f", theirMiddle), sprintf("%.2f", spread)
    }
  }
}
