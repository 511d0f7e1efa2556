import { encode } from 'uqr';

/** The margin that readers need, in modules. */
const MARGIN = 4;

/** Black on white in both themes, because readers expect it. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const { data, size } = encode(text, { border: 0 });
  const modules = data.flatMap((row, y) =>
    row.map((isDark, x) => (isDark ? `M${x + MARGIN} ${y + MARGIN}h1v1h-1z` : '')),
  );
  const side = size + 2 * MARGIN;
  return (
    <svg role="img" aria-label={label} viewBox={`0 0 ${side} ${side}`} className="mx-auto size-52 rounded-md">
      <rect width={side} height={side} fill="#fff" />
      <path d={modules.join('')} fill="#000" shapeRendering="crispEdges" />
    </svg>
  );
}
