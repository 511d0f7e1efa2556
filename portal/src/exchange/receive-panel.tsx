import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useI18n } from '../i18n/i18n.tsx';
import { NominationLink } from '../references/links.tsx';
import { operatorClient } from '../session/operator-client.ts';
import { DropZone } from '../ui/drop-zone.tsx';
import { FormProblem } from '../ui/form.tsx';
import { Panel } from '../ui/page.tsx';
import { Notice } from '../ui/states.tsx';
import { MessageLink, MessageState } from './message-badges.tsx';
import { EXCHANGE_TEXTS } from './texts.ts';

type Received = Awaited<ReturnType<typeof operatorClient.exchange.receive>>;

/** Uploads a TSO's answer that did not arrive through the inbox. */
export function ReceivePanel() {
  const { t } = useI18n();
  const texts = EXCHANGE_TEXTS[t.language];
  const queryClient = useQueryClient();
  const receive = useMutation({
    mutationFn: (file: File) => operatorClient.exchange.receive(file),
    // The platform also stores an answer that it cannot read.
    onSettled: () => queryClient.invalidateQueries(),
  });
  const name = receive.variables?.name ?? '';
  return (
    <Panel title={texts.receive} text={texts.receiveText}>
      <div className="grid gap-3" aria-live="polite">
        <DropZone
          text={receive.isPending ? texts.receiving(name) : texts.drop}
          choose={texts.choose}
          kinds={texts.kinds}
          accept=".xml,application/xml,text/xml"
          isSmall
          isBusy={receive.isPending}
          onFile={(file) => receive.mutate(file)}
        />
        {receive.isError && (
          <div className="grid gap-1">
            <p className="text-sm font-medium">{`${name}: ${texts.unreadable}`}</p>
            <FormProblem error={receive.error} />
          </div>
        )}
        {receive.data && <Result name={name} received={receive.data} />}
      </div>
    </Panel>
  );
}

function Result({ name, received: { message, nominations } }: { name: string; received: Received }) {
  const { t } = useI18n();
  const texts = EXCHANGE_TEXTS[t.language];
  return (
    <Notice tone={message.state === 'applied' ? 'ok' : 'warn'}>
      <div className="grid gap-1">
        <p className="font-medium">{texts.received(name)}</p>
        <p className="flex flex-wrap items-center gap-2">
          <MessageLink message={message} />
          <MessageState state={message.state} />
        </p>
        {message.error && <p>{message.error}</p>}
        <p>{texts.changedNominations(nominations.length)}</p>
        <ul className="flex flex-wrap gap-x-4">
          {nominations.map((id) => (
            <li key={id}>
              <NominationLink id={id} className="font-mono text-[0.92em] underline">
                {id}
              </NominationLink>
            </li>
          ))}
        </ul>
      </div>
    </Notice>
  );
}
