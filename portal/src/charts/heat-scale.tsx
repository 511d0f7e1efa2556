import { useI18n } from '../i18n/i18n.tsx';
import { LEVELS, opacityOf, type Scale } from './heat-levels.ts';

const SWATCH = 22;
const HEIGHT = 12;
const TEXT_Y = 25;
/** Room for half of the first and last number. */
const MARGIN = 22;
const LABELLED_STEPS = 2;

type Props = { scale: Scale; tones: { readonly above: string; readonly below: string } };

/** The shades of a heat map with their limits in MW. */
export function HeatScale({ scale, tones }: Props) {
  const { t, format } = useI18n();
  const { stepKw, hasAbove, hasBelow } = scale;
  const first = hasBelow ? -LEVELS : 0;
  const last = hasAbove ? LEVELS : 0;
  if (first === last) return null;
  const limits = Array.from({ length: last - first + 1 }, (_, index) => first + index);
  const x = (limit: number) => MARGIN + (limit - first) * SWATCH;
  const megawatts = (limit: number) => format.number((limit * stepKw) / 1000);
  return (
    <svg
      role="img"
      aria-label={t.common.scale(megawatts(first), megawatts(last))}
      width={x(last) + MARGIN + 12}
      height={TEXT_Y + 3}
      className="max-w-full shrink-0 text-[11px]"
    >
      {limits.slice(0, -1).map((limit) => (
        <rect
          key={limit}
          x={x(limit)}
          width={SWATCH}
          height={HEIGHT}
          className={limit < 0 ? tones.below : tones.above}
          fillOpacity={opacityOf(limit < 0 ? -limit : limit + 1)}
        />
      ))}
      {limits
        .filter((limit) => limit % LABELLED_STEPS === 0)
        .map((limit) => (
          <text key={limit} x={x(limit)} y={TEXT_Y} textAnchor="middle" className="fill-muted">
            {megawatts(limit)}
          </text>
        ))}
      <text x={x(last) + 5} y={HEIGHT - 2} className="fill-muted">
        MW
      </text>
    </svg>
  );
}
