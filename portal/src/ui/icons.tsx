const PATHS = {
  menu: 'M4 7h16M4 12h16M4 17h16',
  close: 'M6 6l12 12M18 6L6 18',
  copy: 'M9 9h10v11H9zM5 15V4h10',
  check: 'M5 13l4 4L19 7',
  download: 'M12 4v11m0 0l-4-4m4 4l4-4M5 20h14',
  left: 'M15 5l-7 7 7 7',
  right: 'M9 5l7 7-7 7',
  down: 'M5 9l7 7 7-7',
  up: 'M5 15l7-7 7 7',
  warning: 'M12 4l9 16H3zM12 10v5M12 17.5v.5',
  plus: 'M12 5v14M5 12h14',
  trash: 'M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13',
  home: 'M4 11l8-7 8 7v9h-5v-6H9v6H4z',
  calendar: 'M4 6h16v14H4zM4 10h16M8 3v4M16 3v4',
  steps: 'M3 17h4v-6h4v3h4V6h6',
  grid: 'M4 4h7v7H4zM13 4h7v7h-7zM4 13h7v7H4zM13 13h7v7h-7z',
  contract: 'M6 3h9l4 4v14H6zM9 12h7M9 16h7M14 3v5h5',
  people:
    'M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM2.5 20c.5-4 3-6 6.5-6s6 2 6.5 6M16 4.5a3.5 3.5 0 0 1 0 6.5M18 14.5c2 .8 3.2 2.7 3.5 5.5',
  key: 'M11.5 12a3.8 3.8 0 1 1-7.6 0 3.8 3.8 0 0 1 7.6 0zM11.5 12H21v4M17 12v3',
  user: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4.5 20c.8-4 3.5-6 7.5-6s6.7 2 7.5 6',
  signOut: 'M10 4H5v16h5M10 12h10m0 0l-4-4m4 4l-4 4',
  filter: 'M4 6h16M7 12h10M10 18h4',
  webhook: 'M9 8a3.5 3.5 0 1 1 5 3l3 5.5M13 7l-4 7.5M7 13.5a3.5 3.5 0 1 0 3.5 4H17M16 14a3.5 3.5 0 1 1-1 5.5',
  external: 'M14 4h6v6M20 4l-9 9M18 14v6H4V6h6',
  eye: 'M2.5 12C5 7.5 8.2 5.5 12 5.5s7 2 9.5 6.5c-2.5 4.5-5.7 6.5-9.5 6.5S5 16.5 2.5 12zM12 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6z',
  eyeOff:
    'M4 4l16 16M6 7.2C4.7 8.4 3.5 10 2.5 12c2.5 4.5 5.7 6.5 9.5 6.5 1.7 0 3.2-.4 4.6-1.1M9.5 5.8c.8-.2 1.6-.3 2.5-.3 3.8 0 7 2 9.5 6.5-.8 1.4-1.6 2.5-2.5 3.5',
  upload: 'M12 16V5m0 0L8 9m4-4l4 4M5 20h14',
  building: 'M5 21V4h9v17M14 10h5v11M3 21h18M8 8h3M8 12h3M8 16h3',
  layers: 'M12 4l9 5-9 5-9-5zM3 14l9 5 9-5',
  card: 'M3 6h18v13H3zM3 10h18M7 15h4',
  chart: 'M4 4v16h16M7 15l4-5 3 3 5-7',
  clock: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM12 7v5l3.5 2',
  send: 'M4 12l16-8-5 16-4-6zM11 14l9-10',
  mail: 'M3 6h18v12H3zM3 7l9 7 9-7',
  unequal: 'M5 9h14M5 15h14M15 5L9 19',
  scale: 'M12 4v16M7 20h10M5 8h14M5 8l-3 6h6zM19 8l-3 6h6z',
  plant: 'M12 21v-9M12 12c0-4-3-6-7-6 0 4 3 6 7 6zM12 9c0-3 2-5 6-5 0 4-2 6-6 6M6 21h12',
  sun: 'M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM12 3v2M12 19v2M3 12h2M19 12h2M5.6 5.6L7 7M17 17l1.4 1.4M5.6 18.4L7 17M17 7l1.4-1.4',
  wind: 'M12 12v9M12 12L5 8M12 12V4M12 12l7 4M9 21h6',
  basket: 'M4 9h16l-2 11H6zM8 9l3-6M16 9l-3-6',
  pulse: 'M3 12h4l3-8 4 16 3-8h4',
  edit: 'M4 20l1-4L16 5l3 3L8 19zM14 7l3 3',
  list: 'M8 6h13M8 12h13M8 18h13M3.5 6h.5M3.5 12h.5M3.5 18h.5',
  search: 'M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13zM15.5 15.5L21 21',
} as const;
export type IconName = keyof typeof PATHS;

/** A decorative icon next to a text; an icon without text needs a label on its parent. */
export function Icon({ name, className = 'size-4' }: { name: IconName; className?: string }) {
  return (
    <svg
      aria-hidden="true"
      className={`shrink-0 ${className}`}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.8"
      strokeLinecap="round"
      strokeLinejoin="round"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
