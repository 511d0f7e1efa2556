/**
 * What a confirmation says about one series, read with a few expressions instead of a parser: slower, tolerant, and
 * independent of the product's reader. It understands the documents that the product applies, and no others.
 */
const COMMENT = /<!--[\s\S]*?-->/g;
const SERIES = /<(TimeSeriesConfirmation|Confirmed_TimeSeries)>([\s\S]*?)<\/\1>/g;
const POINT = /<(Interval|Point)>([\s\S]*?)<\/\1>/g;
const REASON = /<ReasonCode\s+v\s*=\s*["']\s*([^"']*?)\s*["']|<code>\s*([^<]*?)\s*<\/code>/g;
const IDENTIFICATION =
  /<SendersTimeSeriesIdentification\s+v\s*=\s*["']\s*([^"']*?)\s*["']|<mRID>\s*([^<]*?)\s*<\/mRID>/;
const POSITION = /<Pos\s+v\s*=\s*["']\s*(\d+)|<position>\s*(\d+)/;
const QUANTITY = /<Qty\s+v\s*=\s*["']\s*([\d.]+)|<quantity>\s*([\d.]+)/;

const CHARACTERS: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
const decoded = (text: string) =>
  text
    .replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)))
    .replaceAll(/&(\w+);/g, (found, name: string) => CHARACTERS[name] ?? found);
const first = (form: RegExp, text: string) => {
  const found = form.exec(decoded(text));
  return found === null ? null : (found[1] ?? found[2] ?? '');
};
const codesIn = (text: string) =>
  [...text.matchAll(REASON)].map((found) => decoded(found[1] ?? found[2] ?? ''));

/** Power of each slot in kW that the series is matched with. Null: it stays as it was. */
export function expectedKw(
  document: string,
  identification: string,
  sentKw: readonly number[],
): readonly number[] | null {
  const text = document.replaceAll(COMMENT, '');
  const outcomes = codesIn(text.replaceAll(SERIES, '')).filter((code) =>
    ['A06', 'A07', 'A08'].includes(code),
  );
  if (outcomes.length !== 1)
    throw new Error(`a confirmation with the results ${outcomes.join(' ')} was applied`);
  const zeros = sentKw.map(() => 0);
  if (outcomes[0] === 'A08') return zeros;
  const otherwise = outcomes[0] === 'A06' ? sentKw : null;
  const ours = [...text.matchAll(SERIES)]
    .map((found) => found[2] ?? '')
    .filter((series) => first(IDENTIFICATION, series) === identification);
  if (ours.length > 1) throw new Error('a confirmation with two of our series was applied');
  const [series] = ours;
  if (series === undefined) return otherwise;
  const codes = codesIn(series.replaceAll(POINT, ''));
  const points = [...series.matchAll(POINT)].map((found) => found[2] ?? '');
  if (points.length > 0 && codes.includes('A30')) return valuesOf(points, zeros);
  if (codes.includes('A20')) return zeros;
  if (points.length > 0) return valuesOf(points, zeros);
  if (codes.includes('A28')) return zeros;
  return codes.includes('A88') ? sentKw : otherwise;
}

function valuesOf(points: readonly string[], zeros: readonly number[]): number[] {
  const values = [...zeros];
  for (const point of points) {
    const [whole = '', fraction = ''] = (first(QUANTITY, point) ?? '').split('.');
    values[Number(first(POSITION, point)) - 1] = Number(whole + fraction.slice(0, 3).padEnd(3, '0'));
  }
  return values;
}
