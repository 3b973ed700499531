/** A score or confidence never looks better than it is: 0.9996 is not 1. */
export function floor(value: number, decimals: number): string {
  const scale = 10 ** decimals;
  // 0.29 * 100 is a little less than 29.
  return (Math.floor(value * scale + 1e-9) / scale).toFixed(decimals);
}

/** A share in percent, rounded down; from 99 on with a decimal, since 0.9999 is more than 99 %. */
export function toPercent(share: number): string {
  return `${floor(share * 100, share > 0.99 && share < 1 ? 1 : 0)}%`;
}
