import { useI18n } from '../i18n/i18n.tsx';

type Props = { slot: number; start: number; onSelect: (slot: number) => void };

/** A quarter-hour by its time and number; selects it for the inspector. */
export function SlotButton({ slot, start, onSelect }: Props) {
  const { format } = useI18n();
  return (
    <button
      type="button"
      className="inline-flex items-baseline gap-2 rounded hover:underline"
      onClick={() => onSelect(slot)}
    >
      {format.slot(start)}
      <span className="text-xs text-muted">{`#${slot}`}</span>
    </button>
  );
}
