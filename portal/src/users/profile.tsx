import { GATE_REMINDER_MINUTES, LIMITS } from '@saldo/api';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { skipPastEvents } from '../activity/notify.ts';
import { useI18n } from '../i18n/i18n.tsx';
import { NO_RETRY, portalClient } from '../session/clients.ts';
import {
  areNotificationsBlocked,
  areNotificationsOn,
  areNotificationsSupported,
  turnNotificationsOff,
  turnNotificationsOn,
} from '../session/notifications.ts';
import { useSession } from '../session/session.ts';
import { StoryButton } from '../story/story-button.tsx';
import { Button } from '../ui/button.tsx';
import { Checkbox, Form, FormProblem, PasswordField } from '../ui/form.tsx';
import { Fact, Facts, Page, Panel } from '../ui/page.tsx';
import { Notice } from '../ui/states.tsx';
import { Instant } from '../ui/time.tsx';
import { useToast } from '../ui/toast.tsx';
import { useInput } from '../ui/use-input.ts';
import { DensitySwitch } from './density-switch.tsx';
import { PasskeysPanel } from './passkeys.tsx';
import { PROFILE_TEXTS } from './profile-texts.ts';
import { ProviderLinksPanel } from './provider-links.tsx';
import { SecondFactorPanel } from './second-factor-panel.tsx';
import { SessionsPanel } from './sessions.tsx';

/** The user's own data, and the form to change the password. */
export function ProfilePage() {
  const { t } = useI18n();
  const { user, expires_at, demo } = useSession();
  const party = user.brp ?? user.account;
  return (
    <Page
      title={PROFILE_TEXTS[t.language].profileTitle}
      actions={
        <>
          {demo && user.role === 'operator' && <StoryButton />}
          <DensitySwitch />
        </>
      }
    >
      <Panel title={t.session.profile}>
        <Facts>
          <Fact label={t.session.name}>{user.name}</Fact>
          <Fact label={t.session.email}>{user.email}</Fact>
          {party && <Fact label={t.session.organisation}>{party.name}</Fact>}
          <Fact label={t.session.role}>{t.session.roles[user.role]}</Fact>
          <Fact label={t.session.permission}>{t.session.permissions[user.permissions]}</Fact>
          <Fact label={PROFILE_TEXTS[t.language].sessionExpires}>
            <Instant at={expires_at} />
          </Fact>
        </Facts>
      </Panel>
      <div className="grid gap-4 lg:grid-cols-2">
        <PasswordPanel />
        <SecondFactorPanel />
        <PasskeysPanel />
        <ProviderLinksPanel />
        {user.role !== 'account' && areNotificationsSupported() && <NotificationsPanel />}
      </div>
      <SessionsPanel />
    </Page>
  );
}

const EMPTY = { current: '', new: '', repeated: '' };

function PasswordPanel() {
  const { t } = useI18n();
  const toast = useToast();
  const { input, set, isUnsaved, reset } = useInput(EMPTY);
  const [isTried, setIsTried] = useState(false);
  const differ = isTried && input.new !== input.repeated ? t.session.passwordsDiffer : undefined;
  const change = useMutation({
    mutationFn: (passwords: { current: string; new: string }) =>
      portalClient.session.changePassword(passwords, NO_RETRY),
    onSuccess: () => {
      reset();
      setIsTried(false);
      toast(PROFILE_TEXTS[t.language].passwordChanged);
    },
  });
  const submit = () => {
    setIsTried(true);
    if (input.new === input.repeated) change.mutate({ current: input.current, new: input.new });
  };
  return (
    <Panel title={PROFILE_TEXTS[t.language].changePassword}>
      <Form error={change.error} fields={['current', 'new']} isUnsaved={isUnsaved} onSubmit={submit}>
        <PasswordField
          name="current"
          label={PROFILE_TEXTS[t.language].currentPassword}
          autoComplete="current-password"
          value={input.current}
          onChange={(current) => set({ current })}
        />
        <PasswordField
          name="new"
          label={t.session.newPassword}
          hint={t.session.passwordRule(LIMITS.password.minimum)}
          autoComplete="new-password"
          value={input.new}
          onChange={(next) => set({ new: next })}
        />
        <PasswordField
          name="repeated"
          label={t.session.repeatPassword}
          autoComplete="new-password"
          error={differ}
          value={input.repeated}
          onChange={(repeated) => set({ repeated })}
        />
        <div className="flex flex-wrap items-center gap-3">
          <Button type="submit" variant="primary" isBusy={change.isPending}>
            {PROFILE_TEXTS[t.language].changePassword}
          </Button>
          <span className="text-xs text-muted">{PROFILE_TEXTS[t.language].changePasswordHint}</span>
        </div>
      </Form>
    </Panel>
  );
}

/** The switch of this browser's notifications. The permission is asked for by its click only. */
function NotificationsPanel() {
  const { t } = useI18n();
  const [isOn, setIsOn] = useState(areNotificationsOn);
  const [isBlocked, setIsBlocked] = useState(areNotificationsBlocked);
  const change = useMutation({
    mutationFn: async (on: boolean) => {
      if (!on) turnNotificationsOff();
      return on && (await turnNotificationsOn(skipPastEvents));
    },
    onSettled: () => {
      setIsOn(areNotificationsOn());
      setIsBlocked(areNotificationsBlocked());
    },
  });
  return (
    <Panel title={PROFILE_TEXTS[t.language].notifications}>
      <div className="grid gap-3">
        <p className="text-sm text-muted">
          {PROFILE_TEXTS[t.language].notificationsText(...GATE_REMINDER_MINUTES)}
        </p>
        <Checkbox
          label={PROFILE_TEXTS[t.language].showNotifications}
          checked={isOn}
          onChange={(on) => {
            // At once: a mutation reports its variables in a later task, and until then the box would show the old state.
            setIsOn(on);
            change.mutate(on);
          }}
        />
        <FormProblem error={change.error} />
        {isBlocked && <Notice tone="warn">{PROFILE_TEXTS[t.language].notificationsBlocked}</Notice>}
      </div>
    </Panel>
  );
}
