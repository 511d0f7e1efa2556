import {
  createContext,
  type ReactElement,
  type ReactNode,
  useContext,
  useLayoutEffect,
  useState,
} from 'react';
import { LONGEST_FRAME_MS } from './times.ts';
import { useIsPrinting } from './use-is-printing.ts';

type Turn = () => void;
/** One turn per frame, first come, first served. */
const turns = new Set<Turn>();

/**
 * Calls `act` in a task of its own, after the next frame. A hidden page has no frames, and a page in a covered window or a
 * remote desktop may have none, though it is not hidden.
 */
function afterFrame(act: () => void): void {
  if (document.hidden) {
    setTimeout(act);
    return;
  }
  const frame = requestAnimationFrame(() => {
    clearTimeout(timer);
    setTimeout(act);
  });
  const timer = setTimeout(() => {
    cancelAnimationFrame(frame);
    act();
  }, LONGEST_FRAME_MS);
}

/** Says that parts of the page are still to come. */
const setBusy = (isBusy: boolean) =>
  document.getElementById('content')?.setAttribute('aria-busy', String(isBusy));

function takeTurns(): void {
  const [turn] = turns;
  if (turn !== undefined) turns.delete(turn);
  turn?.();
  if (turns.size > 0) afterFrame(takeTurns);
  else setBusy(false);
}

/** Calls `turn` when the turns before it have been painted. The returned function cancels it. */
function waitForTurn(turn: Turn): () => void {
  turns.add(turn);
  if (turns.size === 1) afterFrame(takeTurns);
  setBusy(true);
  return () => void turns.delete(turn);
}

/**
 * Follows `isWanted`, but becomes true in a turn of its own: what is rendered at once blocks a phone for as long as all of
 * it takes, what is rendered in turns only for as long as the longest.
 */
export function useInTurn(isWanted: boolean, isFirst = isWanted): boolean {
  const [isShown, setIsShown] = useState(isFirst);
  const isPrinting = useIsPrinting();
  useLayoutEffect(() => {
    if (isWanted && !isShown) return waitForTurn(() => setIsShown(true));
    if (!isWanted) setIsShown(false);
    return undefined;
  }, [isShown, isWanted]);
  return isWanted && (isShown || isPrinting);
}

/** Whether the data have arrived after the page. A page whose data are known is shown at once, at its scroll position. */
export const ArrivedContext = createContext(false);

const ALL = Number.POSITIVE_INFINITY;

/**
 * The elements of a long list that has arrived: `size` more with each turn, on paper all. Elements that are added to a
 * complete list are rendered at once: an element that waited for its turn again would lose its state.
 */
export function InTurns({ size, children }: { size: number; children: readonly ReactElement[] }) {
  const { length } = children;
  const after = (shown: number) => (shown + size < length ? shown + size : ALL);
  const hasArrived = useContext(ArrivedContext);
  const [shown, setShown] = useState(() => (hasArrived ? after(0) : ALL));
  const isPrinting = useIsPrinting();
  const next = after(shown);
  useLayoutEffect(() => (shown === ALL ? undefined : waitForTurn(() => setShown(next))), [shown, next]);
  return <>{isPrinting ? children : children.slice(0, shown)}</>;
}

/** The lower part of a page whose data have arrived, in a turn of its own. */
export function Later({ children }: { children: ReactNode }) {
  const hasArrived = useContext(ArrivedContext);
  return useInTurn(true, !hasArrived) && children;
}
