# Reads lines `table …`, `target NAME` and `import PATH MODULE`; prints violations, exit 1 if there is one.
$1 == "table" && $2 ~ /^L[0-4]$/ {
    layer[$3] = $2
    for (i = 5; i <= NF; i++) {
        own[$3, $i] = 1
        declared[++pairs] = $3 SUBSEP $i
        if ($i ~ /^C[A-Z]/ && owner[$i]++) fail("ops/import-table: " $i " belongs to two targets")
    }
}
$1 == "table" && $2 == "system" { for (i = 5; i <= NF; i++) allowed[$3, $i] = 1 }
$1 == "table" && $2 == "file" {
    listed[$3] = 1
    for (i = 5; i <= NF && $i != ":"; i++) exception[$3, $i] = 1
    if (i >= NF) fail("ops/import-table: " $3 " is an exception without a reason")
}
$1 == "target" && !($2 in layer) { fail($2 ": no line in ops/import-table") }
$1 == "import" {
    split($2, part, "/")
    target = part[2]
    used[$2] = 1
    if ((target, $3) in own || (layer[target], $3) in allowed || ($2, $3) in exception) next
    fail($2 ": must not import " $3)
}
END {
    for (i = 1; i <= pairs; i++) {
        split(declared[i], pair, SUBSEP)
        above = layer[pair[1]]
        below = layer[pair[2]]
        if (below > above || (below == above && above ~ /L[0234]/ && pair[2] in layer))
            fail("ops/import-table: " pair[1] " (" above ") must not import " pair[2] " (" below ")")
    }
    for (path in listed) if (!(path in used)) fail(path ": listed in ops/import-table, but imports nothing or is gone")
    exit failures > 0
}
function fail(text) { print text; failures++ }
