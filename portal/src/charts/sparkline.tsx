import { stepArea, stepPath } from './scale.ts';

const WIDTH = 120;
const HEIGHT = 24;

/** The shape of a day without numbers, which are next to it. */
export function Sparkline({ valuesKwh, tone }: { valuesKwh: readonly number[]; tone: 'out' | 'in' }) {
  const top = Math.max(1, ...valuesKwh);
  const x = (index: number) => Math.round((index / valuesKwh.length) * WIDTH * 10) / 10;
  const y = (kwh: number) => Math.round((HEIGHT - 1 - (kwh / top) * (HEIGHT - 2)) * 10) / 10;
  return (
    <svg aria-hidden="true" width={WIDTH} height={HEIGHT} className="block">
      <path d={stepArea(valuesKwh, x, y)} className={tone === 'out' ? 'fill-out/20' : 'fill-in/20'} />
      <path
        d={stepPath(valuesKwh, x, y)}
        fill="none"
        className={tone === 'out' ? 'stroke-out' : 'stroke-in'}
      />
    </svg>
  );
}
