import type { Factors } from '@saldo/api';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useI18n } from '../i18n/i18n.tsx';
import { NO_RETRY, portalClient } from '../session/clients.ts';
import { useRefresh } from '../session/use-refresh.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Fact, Facts, Panel } from '../ui/page.tsx';
import { Loaded, Notice, Skeleton } from '../ui/states.tsx';
import { Instant } from '../ui/time.tsx';
import { useToast } from '../ui/toast.tsx';
import { CodeForm } from './code-form.tsx';
import { FACTOR_TEXTS } from './factor-texts.ts';
import { factorsQuery } from './factors-query.ts';
import { RecoveryCodes } from './recovery-codes.tsx';
import { SetUpCodes } from './set-up-codes.tsx';

/** With fewer recovery codes than this, the user is advised to create new ones. */
const FEW_CODES = 4;

type OpenDialog = 'set_up' | 'replace' | 'renew' | 'remove';

/** The one-time codes of the user. */
export function SecondFactorPanel() {
  const { format } = useI18n();
  const query = useQuery(factorsQuery);
  const [dialog, setDialog] = useState<OpenDialog | null>(null);
  const close = () => setDialog(null);
  return (
    <Panel title={FACTOR_TEXTS[format.language].title}>
      <Loaded query={query} loading={<Skeleton lines={3} />}>
        {(factors) => <FactorState factors={factors} onOpen={setDialog} />}
      </Loaded>
      {dialog === 'set_up' && <SetUpDialog proof="password" onClose={close} />}
      {dialog === 'replace' && <SetUpDialog proof="code" onClose={close} />}
      {dialog === 'renew' && <RenewDialog onClose={close} />}
      {dialog === 'remove' && <RemoveDialog onClose={close} />}
    </Panel>
  );
}

type StateProps = { factors: Factors; onOpen: (dialog: OpenDialog) => void };

function FactorState({ factors: { one_time_code, is_required }, onOpen }: StateProps) {
  const { format } = useI18n();
  const texts = FACTOR_TEXTS[format.language];
  if (one_time_code === null)
    return (
      <div className="grid justify-items-start gap-3">
        <p className="text-sm text-muted">{texts.offText}</p>
        <Button onClick={() => onOpen('set_up')}>{texts.setUp}</Button>
      </div>
    );
  const { confirmed_at, recovery_codes } = one_time_code;
  return (
    <div className="grid gap-3">
      <Facts>
        <Fact label={texts.since}>
          <Instant at={confirmed_at} />
        </Fact>
        <Fact label={texts.recoveryLeft}>{recovery_codes}</Fact>
      </Facts>
      {recovery_codes < FEW_CODES && <Notice tone="warn">{texts.fewLeft}</Notice>}
      <div className="flex flex-wrap gap-2">
        <Button onClick={() => onOpen('replace')}>{texts.replace}</Button>
        <Button onClick={() => onOpen('renew')}>{texts.renew}</Button>
        <Button onClick={() => onOpen('remove')}>{texts.remove}</Button>
      </div>
      {is_required && <p className="text-xs text-muted">{texts.required}</p>}
    </div>
  );
}

function SetUpDialog({ proof, onClose }: { proof: 'password' | 'code'; onClose: () => void }) {
  const { format } = useI18n();
  const toast = useToast();
  const refresh = useRefresh();
  const [isConfirmed, setIsConfirmed] = useState(false);
  const done = () => {
    toast(FACTOR_TEXTS[format.language].turnedOn);
    onClose();
  };
  const title =
    proof === 'password'
      ? FACTOR_TEXTS[format.language].setUpTitle
      : FACTOR_TEXTS[format.language].replaceTitle;
  return (
    <Dialog
      title={isConfirmed ? FACTOR_TEXTS[format.language].recoveryTitle : title}
      isHeldOpen={isConfirmed}
      onClose={onClose}
    >
      <SetUpCodes
        proof={proof}
        onConfirmed={() => {
          setIsConfirmed(true);
          void refresh(factorsQuery.queryKey);
        }}
        onDone={done}
        onClose={onClose}
      />
    </Dialog>
  );
}

function RenewDialog({ onClose }: { onClose: () => void }) {
  const { format } = useI18n();
  const texts = FACTOR_TEXTS[format.language];
  const refresh = useRefresh();
  const renew = useMutation({
    mutationFn: (code: string) => portalClient.factors.renewRecoveryCodes({ code }, NO_RETRY),
    onSuccess: () => void refresh(factorsQuery.queryKey),
  });
  const codes = renew.data?.recovery_codes;
  return (
    <Dialog
      title={codes ? texts.recoveryTitle : texts.renewTitle}
      isHeldOpen={codes !== undefined}
      onClose={onClose}
    >
      {codes ? (
        <RecoveryCodes codes={codes} onDone={onClose} />
      ) : (
        <div className="grid gap-4">
          <p className="text-sm text-muted">{texts.renewText}</p>
          <CodeForm
            action={texts.next}
            hint={texts.codeHint}
            error={renew.error}
            isBusy={renew.isPending}
            onSubmit={(code) => renew.mutate(code)}
            onClose={onClose}
          />
        </div>
      )}
    </Dialog>
  );
}

function RemoveDialog({ onClose }: { onClose: () => void }) {
  const { format } = useI18n();
  const texts = FACTOR_TEXTS[format.language];
  const toast = useToast();
  const refresh = useRefresh();
  const remove = useMutation({
    mutationFn: (code: string) => portalClient.factors.removeOneTimeCode({ code }, NO_RETRY),
    onSuccess: () => {
      void refresh(factorsQuery.queryKey);
      toast(texts.removed);
      onClose();
    },
  });
  return (
    <Dialog title={texts.removeTitle} onClose={onClose}>
      <div className="grid gap-4">
        <p className="text-sm text-muted">{texts.removeText}</p>
        <CodeForm
          action={texts.remove}
          hint={texts.codeHint}
          error={remove.error}
          isBusy={remove.isPending}
          onSubmit={(code) => remove.mutate(code)}
          onClose={onClose}
        />
      </div>
    </Dialog>
  );
}
