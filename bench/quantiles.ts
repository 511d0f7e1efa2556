export function quantilesOf(latencies: readonly number[]): (share: number) => number {
  const sorted = Float64Array.from(latencies).sort();
  return (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
