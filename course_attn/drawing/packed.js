// @ts-check
// The numbers of a kept model, as they lie beside the pages of the book: book/_parts/writing/.

/**
 * The numbers that half as many bits stand for (IEEE 754, binary16).
 * @param {Uint16Array} halves
 * @returns {Float32Array}
 */
export function fromHalves(halves) {
  const found = new Float32Array(halves.length);
  const steps = Array.from({ length: 31 }, (_, exponent) => 2 ** (Math.max(exponent, 1) - 25));
  for (let i = 0; i < halves.length; i++) {
    const bits = halves[i], exponent = bits >> 10 & 31, rest = bits & 1023;
    const size = exponent === 31
      ? (rest ? NaN : Infinity)
      : steps[exponent] * (exponent ? 1024 + rest : rest);
    found[i] = bits >> 15 ? -size : size;
  }
  return found;
}

/**
 * @typedef {{arrays: [string, number[]][], data: string}} Packed names and shapes in the order of
 *   their numbers: 16 bits each, the lower byte first, in base64
 */

/**
 * Take a model's parameters out of what the book was built with.
 * @param {Packed} packed
 * @returns {Record<string, Float32Array>} row after row, under their names in a state dict
 */
export function unpacked({ arrays, data }) {
  const text = atob(data), bytes = new Uint8Array(text.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = text.charCodeAt(i);
  const halves = new Uint16Array(bytes.length / 2);
  const view = new DataView(bytes.buffer);
  for (let i = 0; i < halves.length; i++) halves[i] = view.getUint16(2 * i, true);
  const all = fromHalves(halves);
  /** @type {Record<string, Float32Array>} */
  const params = {};
  let start = 0;
  for (const [name, shape] of arrays) {
    const end = start + shape.reduce((product, n) => product * n, 1);
    params[name] = all.subarray(start, end);
    start = end;
  }
  if (start !== all.length) throw new Error(`${all.length} numbers, but arrays for ${start}`);
  return params;
}
