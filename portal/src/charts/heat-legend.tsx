type Entry = { readonly label: string; readonly className: string };

/** The legend of a heat map. */
export function HeatLegend({ entries }: { entries: readonly Entry[] }) {
  return (
    <span className="flex flex-wrap gap-x-4 gap-y-1 text-xs text-muted">
      {entries.map(({ label, className }) => (
        <span key={label} className="inline-flex items-center gap-1.5">
          <svg aria-hidden="true" width="12" height="12">
            <rect x="1" y="1" width="10" height="10" strokeWidth="1.5" className={className} />
          </svg>
          {label}
        </span>
      ))}
    </span>
  );
}
