;; Weighted sums of rows and of pixels, the two halves of resizing. In WebAssembly, because JavaScript has no
;; SIMD instructions; `npm run generate` assembles it.
;;
;; Samples have 8 bits, weights 16 with a sign, 14 of them after the binary point. Sums are rounded and limited to
;; 0..255. Addresses are in bytes; up to 15 bytes after the last sample are read, and after the last result written.
(module
  (memory (export "memory") 1)

  ;; A row of `length` results, each from the samples of `taps` (even) rows at the same place. The rows are `stride`
  ;; bytes apart.
  (func (export "sumRows")
    (param $rows i32) (param $stride i32) (param $weights i32) (param $taps i32) (param $length i32) (param $out i32)
    (local $x i32) (local $row i32) (local $tap i32)
    (local $pair v128) (local $upper v128) (local $lower v128) (local $left v128) (local $right v128)
    (local $sum0 v128) (local $sum1 v128) (local $sum2 v128) (local $sum3 v128)
    (loop $columns
      (local.set $sum0 (v128.const i32x4 8192 8192 8192 8192))
      (local.set $sum1 (local.get $sum0))
      (local.set $sum2 (local.get $sum0))
      (local.set $sum3 (local.get $sum0))
      (local.set $row (i32.add (local.get $rows) (local.get $x)))
      (local.set $tap (i32.const 0))
      (loop $pairs
        ;; Two weights beside each other, and two rows woven into each other: a dot product adds both at once.
        (local.set $pair
          (v128.load32_splat (i32.add (local.get $weights) (i32.shl (local.get $tap) (i32.const 1)))))
        (local.set $upper (v128.load (local.get $row)))
        (local.set $lower (v128.load (i32.add (local.get $row) (local.get $stride))))
        (local.set $left
          (i8x16.shuffle 0 16 1 17 2 18 3 19 4 20 5 21 6 22 7 23 (local.get $upper) (local.get $lower)))
        (local.set $right
          (i8x16.shuffle 8 24 9 25 10 26 11 27 12 28 13 29 14 30 15 31 (local.get $upper) (local.get $lower)))
        (local.set $sum0 (i32x4.add (local.get $sum0)
          (i32x4.dot_i16x8_s (i16x8.extend_low_i8x16_u (local.get $left)) (local.get $pair))))
        (local.set $sum1 (i32x4.add (local.get $sum1)
          (i32x4.dot_i16x8_s (i16x8.extend_high_i8x16_u (local.get $left)) (local.get $pair))))
        (local.set $sum2 (i32x4.add (local.get $sum2)
          (i32x4.dot_i16x8_s (i16x8.extend_low_i8x16_u (local.get $right)) (local.get $pair))))
        (local.set $sum3 (i32x4.add (local.get $sum3)
          (i32x4.dot_i16x8_s (i16x8.extend_high_i8x16_u (local.get $right)) (local.get $pair))))
        (local.set $row (i32.add (local.get $row) (i32.shl (local.get $stride) (i32.const 1))))
        (local.set $tap (i32.add (local.get $tap) (i32.const 2)))
        (br_if $pairs (i32.lt_u (local.get $tap) (local.get $taps))))
      (v128.store (i32.add (local.get $out) (local.get $x))
        (i8x16.narrow_i16x8_u
          (i16x8.narrow_i32x4_s
            (i32x4.shr_s (local.get $sum0) (i32.const 14)) (i32x4.shr_s (local.get $sum1) (i32.const 14)))
          (i16x8.narrow_i32x4_s
            (i32x4.shr_s (local.get $sum2) (i32.const 14)) (i32x4.shr_s (local.get $sum3) (i32.const 14)))))
      (local.set $x (i32.add (local.get $x) (i32.const 16)))
      (br_if $columns (i32.lt_u (local.get $x) (local.get $length)))))

  ;; `width` pixels of three samples, each from `taps` (a multiple of four) pixels of the row that begin at the
  ;; offset in `starts` (bytes, 32 bits each). Every result has its own weights.
  (func (export "sumPixels")
    (param $row i32) (param $starts i32) (param $weights i32) (param $taps i32) (param $width i32) (param $out i32)
    (local $pixel i32) (local $end i32) (local $four v128) (local $sum v128)
    (loop $columns
      (local.set $sum (v128.const i32x4 8192 8192 8192 8192))
      (local.set $pixel (i32.add (local.get $row) (i32.load (local.get $starts))))
      (local.set $end
        (i32.add (local.get $weights) (i32.shl (local.get $taps) (i32.const 1))))
      (loop $fours
        ;; Four pixels; of each two, equal channels beside each other, widened to 16 bits (an index past 15 gives 0).
        (local.set $four (v128.load (local.get $pixel)))
        (local.set $sum (i32x4.add (local.get $sum)
          (i32x4.dot_i16x8_s
            (i8x16.swizzle (local.get $four)
              (v128.const i8x16 0 -1 3 -1 1 -1 4 -1 2 -1 5 -1 -1 -1 -1 -1))
            (v128.load32_splat (local.get $weights)))))
        (local.set $sum (i32x4.add (local.get $sum)
          (i32x4.dot_i16x8_s
            (i8x16.swizzle (local.get $four)
              (v128.const i8x16 6 -1 9 -1 7 -1 10 -1 8 -1 11 -1 -1 -1 -1 -1))
            (v128.load32_splat offset=4 (local.get $weights)))))
        (local.set $pixel (i32.add (local.get $pixel) (i32.const 12)))
        (local.set $weights (i32.add (local.get $weights) (i32.const 8)))
        (br_if $fours (i32.lt_u (local.get $weights) (local.get $end))))
      (local.set $sum (i32x4.shr_s (local.get $sum) (i32.const 14)))
      (local.set $sum (i16x8.narrow_i32x4_s (local.get $sum) (local.get $sum)))
      ;; The fourth byte belongs to the next pixel, which overwrites it.
      (v128.store32_lane 0 (local.get $out) (i8x16.narrow_i16x8_u (local.get $sum) (local.get $sum)))
      (local.set $out (i32.add (local.get $out) (i32.const 3)))
      (local.set $starts (i32.add (local.get $starts) (i32.const 4)))
      (local.set $width (i32.sub (local.get $width) (i32.const 1)))
      (br_if $columns (local.get $width)))))
