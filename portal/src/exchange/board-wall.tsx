import type { ExchangeBoard } from '@saldo/api';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useMemo, useState } from 'react';
import { useI18n } from '../i18n/i18n.tsx';
import { useServerNow } from '../session/server-clock.ts';
import { Button, buttonClass } from '../ui/button.tsx';
import { Loaded, SkeletonBlock } from '../ui/states.tsx';
import { applyTheme, storedTheme } from '../ui/theme.ts';
import { useTitle } from '../ui/use-title.ts';
import { BoardTable } from './board.tsx';
import { noticedGates, type Signal } from './board-cells.ts';
import { boardQuery } from './board-queries.ts';
import { BOARD_TEXTS } from './board-texts.ts';
import { useGateSignals } from './gate-sound.ts';

const DARK_KEY = 'saldo.board.dark';

/** A display on a wall is dark by itself: the choice does not change the theme of the portal. */
function useOwnDark(): [boolean, () => void] {
  const [isDark, setIsDark] = useState(() => localStorage.getItem(DARK_KEY) === 'true');
  useEffect(() => {
    if (isDark) document.documentElement.dataset['theme'] = 'dark';
    else applyTheme(storedTheme());
    return () => applyTheme(storedTheme());
  }, [isDark]);
  const toggle = () => {
    localStorage.setItem(DARK_KEY, String(!isDark));
    setIsDark(!isDark);
  };
  return [isDark, toggle];
}

const toggleFullScreen = () =>
  void (document.fullscreenElement
    ? document.exitFullscreen()
    : document.documentElement.requestFullscreen());

/** The board for a wall: large, without navigation, with a signal before and at the gate. */
export function BoardWallPage() {
  const { format } = useI18n();
  const texts = BOARD_TEXTS[format.language];
  useTitle(texts.title);
  const query = useQuery(boardQuery);
  const [isDark, toggleDark] = useOwnDark();
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] content-start gap-4">
      <header className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2">
        <h1 className="text-2xl font-semibold tracking-tight">{texts.title}</h1>
        <WallClock />
        <div className="flex flex-wrap items-center gap-2">
          <Button aria-pressed={isDark} onClick={toggleDark}>
            {texts.dark}
          </Button>
          {document.fullscreenEnabled && <Button onClick={toggleFullScreen}>{texts.fullScreen}</Button>}
          <Link to="/operator/exchange" className={buttonClass()}>
            {texts.back}
          </Link>
        </div>
      </header>
      <Signals board={query.data} />
      <section className="overflow-hidden rounded-lg bg-surface">
        <Loaded query={query} loading={<SkeletonBlock className="h-[70dvh]" />}>
          {(board) => <BoardTable board={board} isLarge />}
        </Loaded>
      </section>
    </div>
  );
}

function WallClock() {
  const { t, format } = useI18n();
  const now = useServerNow();
  return (
    <span role="timer" aria-live="off" aria-label={t.common.serverTime} className="text-4xl font-semibold">
      {format.timeWithSeconds(now)}
    </span>
  );
}

/** The last signal in words, for users who do not hear it, and the switch of the sound. */
function Signals({ board }: { board: ExchangeBoard | undefined }) {
  const { format } = useI18n();
  const texts = BOARD_TEXTS[format.language];
  const gates = useMemo(() => (board ? noticedGates(board) : []), [board]);
  const { last, isOn, toggle } = useGateSignals(gates);
  const words = ({ kind, gate }: Signal) => (kind === 'soon' ? texts.soon : texts.closes)(format.time(gate));
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
      <Button aria-pressed={isOn} onClick={toggle}>
        {texts.sound}
      </Button>
      <span className="text-sm text-muted">{texts.soundHint}</span>
      <p role="alert" className="basis-full text-2xl font-semibold text-warn empty:hidden">
        {last && words(last)}
      </p>
    </div>
  );
}
