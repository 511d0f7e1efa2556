import { type Nomination, type OwnSchedule, SCHEDULE_STEPS } from '@saldo/api';
import type { DeliveryDay } from '@saldo/core/delivery-day.ts';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useI18n } from '../i18n/i18n.tsx';
import { usePermission, useSession } from '../session/session.ts';
import { Badge, type Tone } from '../ui/badge.tsx';
import { Button, buttonClass } from '../ui/button.tsx';
import { Panel } from '../ui/page.tsx';
import { Notice } from '../ui/states.tsx';
import { Instant } from '../ui/time.tsx';
import { CauseList, CauseSize } from './causes.tsx';
import { causesQuery, ownSchedulesQuery, useRecordStep } from './own-schedules.ts';
import { OWN_TEXTS } from './own-texts.ts';
import { SaveScheduleButton } from './schedule-buttons.tsx';

/** The BRP's side of a nomination in one word: red when it has changed since, else the last step. */
export function OwnBadge({ schedule }: { schedule: OwnSchedule | undefined }) {
  const { format } = useI18n();
  const texts = OWN_TEXTS[format.language];
  if (!schedule) return null;
  const { changed_since: since, version } = schedule;
  if (since) return <Badge tone="bad">{texts.changedSince(since.version)}</Badge>;
  const last = SCHEDULE_STEPS.findLast((step) => schedule[step]?.version === version);
  return last ? <Badge tone="ok">{texts.steps[last]}</Badge> : null;
}

type Props = { nomination: Nomination; day: DeliveryDay };

/** What the BRP has done with its own side of a nomination, and what has changed since. Only BRPs have one. */
export function OwnSidePanel({ nomination, day }: Props) {
  return useSession().user.role === 'brp' ? <OwnSide nomination={nomination} day={day} /> : null;
}

function OwnSide({ nomination, day }: Props) {
  const { format } = useI18n();
  const texts = OWN_TEXTS[format.language];
  const { data: schedules } = useQuery(ownSchedulesQuery(day));
  const schedule = schedules?.get(nomination.id);
  // A superseded version says itself that there is a newer one.
  if (nomination.status === 'superseded') return null;
  return (
    <>
      {schedule?.changed_since && <ChangedNotice schedule={schedule} since={schedule.changed_since} />}
      <Panel title={texts.own} text={texts.ownText} actions={schedule && <StepActions schedule={schedule} />}>
        <Steps nomination={nomination} schedule={schedule} />
      </Panel>
    </>
  );
}

type Since = NonNullable<OwnSchedule['changed_since']>;

/** The next task: what has changed, why, and the button that loads it. */
function ChangedNotice({ schedule, since }: { schedule: OwnSchedule; since: Since }) {
  const { format } = useI18n();
  const texts = OWN_TEXTS[format.language];
  const { nomination_id: id, delivery_date: day, version } = schedule;
  const { data } = useQuery(causesQuery(id, since.nomination_id));
  return (
    <Notice tone="bad">
      <div className="grid min-w-0 flex-1 basis-80 gap-1.5">
        <p className="font-medium">{texts.changedText(since.version, format.day(day))}</p>
        {data && (
          <>
            <p>
              {texts.versions(since.version, version)} · <CauseSize cause={data} />
            </p>
            <div className="text-text">
              <CauseList causes={data.causes} eic={schedule.eic} day={day} max={5} />
            </div>
          </>
        )}
      </div>
      <LoadButton schedule={schedule} />
    </Notice>
  );
}

/** Loads the current version, which ends the task. */
export function LoadButton({ schedule }: { schedule: OwnSchedule }) {
  const { format } = useI18n();
  const { load, loadHint } = OWN_TEXTS[format.language];
  const { nomination_id: id, delivery_date: day } = schedule;
  return (
    <SaveScheduleButton nomination={{ ...schedule, id }} day={day} label={load} hint={loadHint} isPrimary />
  );
}

function StepActions({ schedule }: { schedule: OwnSchedule }) {
  const { format } = useI18n();
  const texts = OWN_TEXTS[format.language];
  const record = useRecordStep();
  const mayRecord = usePermission('member');
  const [isBusy, setIsBusy] = useState(false);
  const isSubmitted = schedule.submitted?.version === schedule.version;
  const toggle = async () => {
    setIsBusy(true);
    await record('submitted', [schedule.nomination_id], !isSubmitted);
    setIsBusy(false);
  };
  return (
    <>
      <Link to="/check" className={buttonClass()}>
        {texts.check}
      </Link>
      {mayRecord && (
        <Button icon={isSubmitted ? 'close' : 'check'} isBusy={isBusy} onClick={() => void toggle()}>
          {isSubmitted ? texts.takeBack : texts.submit}
        </Button>
      )}
    </>
  );
}

type StepState = { readonly tone: Tone; readonly text: ReactNode };

/** Loaded, checked, submitted, confirmed. A step with an earlier version is red. */
function Steps({ nomination, schedule }: { nomination: Nomination; schedule: OwnSchedule | undefined }) {
  const { t, format } = useI18n();
  const texts = OWN_TEXTS[format.language];
  const stateOf = (mark: OwnSchedule['loaded'] | undefined): StepState => {
    if (!mark) return { tone: 'neutral', text: texts.notYet };
    const isOutdated = mark.version < nomination.version;
    return {
      tone: isOutdated ? 'bad' : 'ok',
      text: (
        <>
          {isOutdated && `${texts.outdated(mark.version)} · `}
          <Instant at={mark.at} />
          {mark.actor_name && ` · ${mark.actor_name}`}
        </>
      ),
    };
  };
  const { status, confirmed_at } = nomination;
  const isAnswered = status === 'match' || status === 'partial_match';
  const confirmed: StepState = {
    tone: status === 'match' ? 'ok' : isAnswered ? 'bad' : 'neutral',
    text: confirmed_at ? <Instant at={confirmed_at} /> : isAnswered ? texts.notFinal : texts.notYet,
  };
  const steps = [
    ...SCHEDULE_STEPS.map((step) => ({ name: texts.steps[step], ...stateOf(schedule?.[step]) })),
    { name: status === 'partial_match' ? t.brp.nominations.statuses[status] : texts.confirmed, ...confirmed },
  ];
  return (
    <ol aria-label={texts.own} className="grid grid-cols-2 gap-3 text-sm lg:grid-cols-4">
      {steps.map(({ name, tone, text }) => (
        <li key={name} className="grid content-start justify-items-start gap-1">
          <Badge tone={tone}>{name}</Badge>
          <span className="min-w-0 text-xs text-muted wrap-anywhere">{text}</span>
        </li>
      ))}
    </ol>
  );
}
