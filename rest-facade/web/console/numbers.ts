/** A score or confidence never looks better than it is: 0.9996 is not 1. */
export function floor(value: number, decimals: number): string {
  const scale = 10 ** decimals;
  // 0.29 * 100 is a little less than 29.
  return (Math.floor(value * scale + 1e-9) / scale).toFixed(decimals);
}

/** A share as whole percent, rounded down. */
export function toPercent(share: number): string {
  return `${floor(share * 100, 0)}%`;
}
