import {
  EVENT_TYPES_OF,
  type EventReader,
  LIMITS,
  type NewWebhookSecret,
  type WebhookEndpoint,
  type WebhookTest,
} from '@saldo/api';
import { useMutation } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useI18n } from '../i18n/i18n.tsx';
import { useRefresh } from '../session/use-refresh.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { CheckboxGroup, Form, FormButtons, FormProblem, SelectField, TextField } from '../ui/form.tsx';
import { Fact, Facts } from '../ui/page.tsx';
import { Secret, SecretDialog } from '../ui/secret-dialog.tsx';
import { Skeleton } from '../ui/states.tsx';
import { useInput } from '../ui/use-input.ts';
import { endpointsQuery, webhooks } from './queries.ts';
import { WEBHOOK_TEXTS } from './texts.ts';

const CHOICES = ['all', 'some'] as const;

type EndpointInput = {
  readonly url: string;
  readonly description: string;
  readonly choice: (typeof CHOICES)[number];
  readonly types: readonly string[];
};

const NEW_ENDPOINT: EndpointInput = { url: '', description: '', choice: 'all', types: [] };

/** A form for a new endpoint that then shows its secret. */
export function CreateDialog({ reader, onClose }: { reader: EventReader; onClose: () => void }) {
  const { format } = useI18n();
  const texts = WEBHOOK_TEXTS[format.language];
  const refresh = useRefresh();
  const { input, set } = useInput(NEW_ENDPOINT);
  const { choice, types } = input;
  const create = useMutation({
    mutationFn: ({ url, description, choice, types }: EndpointInput) =>
      webhooks().create({
        url,
        types: choice === 'all' ? ['*'] : [...types],
        description: description === '' ? null : description,
      }),
    // The secret does not wait for the list.
    onSettled: () => void refresh(endpointsQuery.queryKey),
  });
  if (create.data) return <EndpointSecretDialog endpoint={create.data} onClose={onClose} />;
  return (
    <Dialog title={texts.createTitle} onClose={onClose}>
      <Form
        error={create.error}
        fields={['url', 'types', 'description']}
        onSubmit={() => create.mutate(input)}
      >
        <TextField
          name="url"
          type="url"
          inputMode="url"
          label={texts.url}
          hint={texts.urlHint}
          placeholder="https://"
          maxLength={LIMITS.urlLength}
          value={input.url}
          onChange={(url) => set({ url })}
        />
        <TextField
          name="description"
          label={texts.description}
          maxLength={LIMITS.reasonLength}
          value={input.description}
          onChange={(description) => set({ description })}
        />
        <SelectField
          name="choice"
          label={texts.types}
          value={choice}
          options={CHOICES.map((value) => ({ value, label: texts.typeChoices[value] }))}
          onChange={(next) => set({ choice: next })}
        />
        {choice === 'some' && (
          <CheckboxGroup
            name="types"
            label={texts.chosenTypes}
            value={types}
            options={EVENT_TYPES_OF[reader].map((type) => ({
              value: type,
              label: <code className="font-mono text-xs">{type}</code>,
            }))}
            onChange={(next) => set({ types: next })}
          />
        )}
        <FormButtons
          action={texts.create}
          isBusy={create.isPending}
          disabled={choice === 'some' && types.length === 0}
          onClose={onClose}
        />
      </Form>
    </Dialog>
  );
}

/** Shows the secret of a new endpoint, or a new secret of one. */
export function EndpointSecretDialog({
  endpoint,
  onClose,
}: {
  endpoint: NewWebhookSecret;
  onClose: () => void;
}) {
  const { format } = useI18n();
  const texts = WEBHOOK_TEXTS[format.language];
  return (
    <SecretDialog title={texts.secretTitle} text={texts.secretText} done={texts.secretDone} onClose={onClose}>
      {endpoint.previous_secret_ends_at !== null && (
        <p className="text-sm text-muted">{texts.previousText}</p>
      )}
      <Secret label={endpoint.url} text={endpoint.secret} what={texts.secret} />
    </SecretDialog>
  );
}

/** Sends a test event when it opens, and shows what came back. */
export function TestDialog({ endpoint, onClose }: { endpoint: WebhookEndpoint; onClose: () => void }) {
  const { t, format } = useI18n();
  const texts = WEBHOOK_TEXTS[format.language];
  const { id } = endpoint;
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: (endpointId: string) => webhooks().test(endpointId),
  });
  useEffect(() => mutate(id), [mutate, id]);
  return (
    <Dialog title={`${texts.actions.test}: ${endpoint.url}`} onClose={onClose}>
      <div className="grid gap-4" aria-live="polite">
        <FormProblem error={error} />
        {data ? <TestResult result={data} /> : isPending && <Skeleton lines={3} />}
        <div className="flex justify-end gap-2">
          <Button isBusy={isPending} onClick={() => mutate(id)}>
            {texts.testAgain}
          </Button>
          <Button variant="primary" onClick={onClose}>
            {t.common.close}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}

function TestResult({ result }: { result: WebhookTest }) {
  const { format } = useI18n();
  const texts = WEBHOOK_TEXTS[format.language];
  return (
    <>
      <p>
        <Badge tone={result.succeeded ? 'ok' : 'bad'}>
          {result.succeeded ? texts.testSucceeded : texts.testFailed}
        </Badge>
      </p>
      <Answer answer={result} />
    </>
  );
}

type AnswerProps = { answer: Pick<WebhookTest, 'status_code' | 'duration_ms' | 'response' | 'error'> };

/** What the receiver answered to one try. */
export function Answer({ answer }: AnswerProps) {
  const { format } = useI18n();
  const texts = WEBHOOK_TEXTS[format.language];
  const { status_code: status, duration_ms: duration, response, error } = answer;
  return (
    <div className="grid gap-3">
      <Facts>
        {status !== null && <Fact label={texts.statusCode}>{status}</Fact>}
        {duration !== null && <Fact label={texts.duration}>{`${format.number(duration)} ms`}</Fact>}
        {error !== null && <Fact label={texts.error}>{error}</Fact>}
      </Facts>
      {response !== null && (
        <div className="grid gap-1">
          <span className="text-xs text-muted">{texts.response}</span>
          <pre
            // Focusable, so that the keyboard can scroll it.
            tabIndex={0}
            role="region"
            aria-label={texts.response}
            className="max-h-64 overflow-auto rounded-md border border-line bg-sunken p-2.5 font-mono text-xs break-all whitespace-pre-wrap"
          >
            {response === '' ? texts.emptyResponse : response}
          </pre>
        </div>
      )}
    </div>
  );
}
