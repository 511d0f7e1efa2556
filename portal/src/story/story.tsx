import type { NominationMismatch } from '@saldo/api';
import { hourLabel, slotStart } from '@saldo/core/delivery-day.ts';
import { kwFromExactMwh } from '@saldo/core/energy.ts';
import { useMutation } from '@tanstack/react-query';
import { type LinkOptions, useRouter, useRouterState } from '@tanstack/react-router';
import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { useI18n } from '../i18n/i18n.tsx';
import { problemText } from '../i18n/problem-text.ts';
import { useGroupLabels } from '../references/group-name.tsx';
import { usePermission } from '../session/session.ts';
import { useRefresh } from '../session/use-refresh.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { slotText } from '../ui/delivery-period.ts';
import { Icon } from '../ui/icons.tsx';
import { Notice } from '../ui/states.tsx';
import type { Story as RunningStory } from './plan.ts';
import { type Action, beginStory, NoContractError, type Progress, takeStep, useProgress } from './queries.ts';
import { setStory, useStory } from './state.ts';
import { STORY_TEXTS } from './texts.ts';

const STEPS = ['change', 'move', 'send', 'cut', 'why'] as const;
type Step = (typeof STEPS)[number];

/** The guided story of the demo: offered on the first page, and shown beside every page while it runs. */
export function Story() {
  const state = useStory();
  const mayChange = usePermission('member');
  const isFirstPage = useRouterState({ select: ({ location }) => location.pathname === '/' });
  if (!mayChange || state === 'skipped' || (state === 'offered' && !isFirstPage)) return null;
  if (typeof state === 'string') return <Offer />;
  return <StepPanel story={state} step={STEPS[state.step] ?? 'why'} />;
}

function Offer() {
  const texts = STORY_TEXTS[useI18n().language];
  const begin = useBegin();
  return (
    <Sheet title={texts.offer} closeLabel={texts.skip}>
      <p>{texts.offerText}</p>
      <StoryError error={begin.error} />
      <div className="flex flex-wrap gap-2">
        <Button variant="primary" icon="right" aria-busy={begin.isPending} onClick={begin.start}>
          {texts.start}
        </Button>
        <Button onClick={() => setStory('skipped')}>{texts.skip}</Button>
      </div>
    </Sheet>
  );
}

/** Starts the story, also one that has ended. */
function useBegin() {
  const router = useRouter();
  const { mutate, isPending, error } = useMutation({
    mutationFn: beginStory,
    onSuccess: (story) => {
      setStory(story);
      return router.navigate(pageOf('change', story, NOTHING_YET) ?? {});
    },
  });
  return { isPending, error, start: () => isPending || mutate() };
}

const NOTHING_YET: Progress = { changed: null, moved: null, sent: null, cut: null };

/** The page that shows a step; null as long as it does not exist. */
function pageOf(
  step: Step,
  { contractId, day, slot, tso }: RunningStory,
  progress: Progress,
): LinkOptions | null {
  const { moved, sent, cut } = progress;
  switch (step) {
    case 'change':
      return { to: '/operator/contracts/$contractId', params: { contractId }, search: { day, slot } };
    case 'move':
      return (
        moved && {
          to: '/operator/nominations/$nominationId',
          params: { nominationId: moved.to.id },
          search: { slot, view: 'history' },
        }
      );
    case 'send':
      return { to: '/operator/exchange', search: { day, tso } };
    case 'cut':
      return sent && { to: '/operator/messages/$messageId', params: { messageId: sent.id } };
    case 'why':
      return (
        cut && {
          to: '/operator/mismatches',
          // The page scrolls to the quarter-hour by itself.
          resetScroll: false,
          search: { day, tso, slot: slotIn(cut, slot)?.slot_number, nomination: cut.nomination_id },
        }
      );
  }
}

/** The quarter-hour of the story, or the first one that the TSO has cut. */
const slotIn = ({ slots }: NominationMismatch, slot: number) =>
  slots.find(({ slot_number }) => slot_number === slot) ?? slots[0];

const isAction = (step: Step): step is Action => step === 'change' || step === 'send' || step === 'cut';

type StepProps = { story: RunningStory; step: Step };

function StepPanel({ story, step }: StepProps) {
  const { t, language } = useI18n();
  const texts = STORY_TEXTS[language];
  const router = useRouter();
  const refresh = useRefresh();
  const { progress, error, retry } = useProgress(story);
  const take = useMutation({
    mutationFn: takeStep,
    onSuccess: () => refresh(['contract'], ['nominations'], ['nomination'], ['messages'], ['mismatches']),
  });
  const result = useResult(step, story, progress);
  const isOpen = result === null;
  const next = STEPS[story.step + 1];
  const nextPage = next && pageOf(next, story, progress);
  const isWaiting = !isOpen && next !== undefined && nextPage === null;
  const label = isOpen && isAction(step) ? texts[step].action : next ? texts.next : texts.finish;
  const act = () => {
    if (take.isPending) return;
    if (isOpen && isAction(step)) return take.mutate({ action: step, story, schedule: progress.sent });
    if (!next) return setStory('skipped');
    if (isOpen || !nextPage) return;
    take.reset();
    setStory({ ...story, step: story.step + 1 });
    void router.navigate(nextPage);
  };
  // An answer that the platform has received may still change nothing, such as after a final confirmation.
  const remark = take.isSuccess && isOpen ? (take.data ?? (step === 'cut' ? texts.unchanged : null)) : null;
  return (
    <Sheet
      title={texts[step].title}
      place={texts.stepOf(story.step + 1, STEPS.length)}
      closeLabel={texts.stop}
    >
      <StepText step={step} story={story} />
      {!isOpen && (
        <p className="flex gap-2 rounded-md bg-ok-soft px-2.5 py-1.5 text-ok">
          <Icon name="check" className="mt-0.5 size-4" />
          {result}
        </p>
      )}
      {isWaiting && <p className="text-muted">{texts.waiting}</p>}
      {remark && <Notice tone="warn">{remark}</Notice>}
      <StoryError error={take.error ?? error} />
      <div className="flex flex-wrap items-center gap-2">
        {/* One button for all steps, never disabled, so that it keeps the focus. */}
        <Button
          variant="primary"
          autoFocus={story.step === 0}
          aria-busy={take.isPending || isWaiting}
          onClick={error ? () => void retry() : act}
        >
          {error ? t.common.retry : label}
        </Button>
        {(!next || remark) && <AgainButton />}
        <PageButton page={pageOf(step, story, progress)} />
      </div>
    </Sheet>
  );
}

/** What has happened in a step, by the platform's data; null as long as it has not. */
function useResult(step: Step, { day, tso, slot }: RunningStory, progress: Progress): string | null {
  const { t, language, format } = useI18n();
  const texts = STORY_TEXTS[language];
  const { changed, moved, sent, cut } = progress;
  switch (step) {
    case 'change':
      return changed && texts.change.done(changed.slots, format.mwhSigned(changed.differenceKwh));
    case 'move':
      return moved && texts.move.done(moved.to.version, format.mwhSigned(moved.differenceKwh));
    case 'send':
      return sent && texts.send.done(sent.version ?? 1, t.common.tsos[tso]);
    case 'cut': {
      const missingKw = cut?.slots.reduce((sum, one) => sum + missingKwOf(one), 0) ?? 0;
      return cut && texts.cut.done(cut.slots.length, format.slotMwh(missingKw), t.common.tsos[tso]);
    }
    case 'why': {
      const shown = cut && slotIn(cut, slot);
      if (!shown) return null;
      const { slot_number, amount, matched_amount: matched, counterpart_amount: other } = shown;
      const mwh = (exact: number) => format.slotMwh(kwFromExactMwh(exact));
      const amounts = texts.why.amounts(slotText(day, slot_number), mwh(amount), mwh(matched ?? 0));
      return other === null ? amounts : `${amounts} ${texts.why.counterpart(mwh(other))}`;
    }
  }
}

const missingKwOf = ({ amount, matched_amount }: { amount: number; matched_amount: number | null }): number =>
  kwFromExactMwh(amount) - kwFromExactMwh(matched_amount ?? 0);

function StepText({ step, story }: StepProps) {
  const { t, language, format } = useI18n();
  const texts = STORY_TEXTS[language];
  const labelOf = useGroupLabels();
  if (step === 'why') return <p>{texts.why.text}</p>;
  const facts = {
    contract: story.reference,
    day: format.day(story.day),
    hour: hourLabel(slotStart(story.day, story.slot)),
    group: labelOf(story.eic),
    tso: t.common.tsos[story.tso],
  };
  return <p>{texts[step].text(facts)}</p>;
}

/** The visitor may look around between two steps. */
function PageButton({ page }: { page: LinkOptions | null }) {
  const texts = STORY_TEXTS[useI18n().language];
  const router = useRouter();
  const path = useRouterState({ select: ({ location }) => location.pathname });
  if (page === null || router.buildLocation(page).pathname === path) return null;
  return (
    <Button variant="quiet" onClick={() => void router.navigate(page)}>
      {texts.toPage}
    </Button>
  );
}

function AgainButton() {
  const texts = STORY_TEXTS[useI18n().language];
  const begin = useBegin();
  return (
    <>
      <Button aria-busy={begin.isPending} onClick={begin.start}>
        {texts.again}
      </Button>
      <StoryError error={begin.error} />
    </>
  );
}

function StoryError({ error }: { error: unknown }) {
  const { t, language } = useI18n();
  if (!error) return null;
  const text = error instanceof NoContractError ? STORY_TEXTS[language].noContract : problemText(t, error);
  return <Notice tone="bad">{text}</Notice>;
}

/** On a narrow screen the panel is at the bottom: what sticks or scrolls there has to stay above it. */
function useSheetHeight() {
  const sheet = useRef<HTMLElement>(null);
  useEffect(() => {
    const { style } = document.documentElement;
    const observer = new ResizeObserver(([entry]) => {
      const isSheet = entry && getComputedStyle(entry.target).position === 'sticky';
      const height = `${isSheet ? (entry.target as HTMLElement).offsetHeight : 0}px`;
      style.setProperty('--sheet', height);
      style.scrollPaddingBottom = height;
    });
    if (sheet.current) observer.observe(sheet.current);
    return () => {
      observer.disconnect();
      style.removeProperty('--sheet');
      style.scrollPaddingBottom = '';
    };
  }, []);
  return sheet;
}

type SheetProps = { title: string; place?: string; closeLabel: string; children: ReactNode };

/** Beside the page on a wide screen; else a sheet at its bottom that can be folded. */
function Sheet({ title, place, closeLabel, children }: SheetProps) {
  const texts = STORY_TEXTS[useI18n().language];
  const [isFolded, setIsFolded] = useState(false);
  const id = useId();
  return (
    <aside
      id="story"
      ref={useSheetHeight()}
      aria-labelledby={id}
      className="sticky bottom-0 z-30 order-last grid max-h-[60dvh] gap-2 overflow-y-auto border-t-2 border-accent bg-surface p-4 text-sm shadow-lg min-[90rem]:fixed min-[90rem]:right-4 min-[90rem]:bottom-4 min-[90rem]:w-76 min-[90rem]:rounded-lg min-[90rem]:border print:hidden"
    >
      <div className="flex items-start gap-1">
        <p id={id} className="mr-auto min-w-0">
          <span className="block text-xs text-muted">{[texts.title, place].filter(Boolean).join(' · ')}</span>
          <span className="block font-semibold">{title}</span>
        </p>
        <IconButton
          icon={isFolded ? 'up' : 'down'}
          label={isFolded ? texts.unfold : texts.fold}
          aria-expanded={!isFolded}
          onClick={() => setIsFolded(!isFolded)}
        />
        <IconButton icon="close" label={closeLabel} onClick={() => setStory('skipped')} />
      </div>
      {/* Screen readers hear the next step and its result, while the focus stays on the button. */}
      <div aria-live="polite" hidden={isFolded} className="grid gap-2">
        {children}
      </div>
    </aside>
  );
}
