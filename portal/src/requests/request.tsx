import type { LoggedRequest } from '@saldo/api';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useI18n } from '../i18n/i18n.tsx';
import { useRolePath } from '../references/links.tsx';
import { Button } from '../ui/button.tsx';
import { Code, CopyButton, useCopy } from '../ui/copy.tsx';
import { Fact, Facts, Page, Panel, TrailLink } from '../ui/page.tsx';
import { Loaded, Skeleton } from '../ui/states.tsx';
import { AnswerTime } from './answer-time.tsx';
import { requestQuery } from './queries.ts';
import { useRequestTexts } from './request-texts.ts';
import { StatusBadge } from './status-badge.tsx';

/** One request, with all that support asks for. */
export function RequestPage() {
  const { requestId = '' } = useParams({ strict: false });
  const query = useQuery(requestQuery(requestId));
  return (
    <Loaded query={query} loading={<Skeleton lines={10} />}>
      {(request) => <RequestView request={request} />}
    </Loaded>
  );
}

function RequestView({ request }: { request: LoggedRequest }) {
  const { t, format } = useI18n();
  const texts = useRequestTexts();
  const base = useRolePath();
  const { caller, caller_name, route, problem, user_agent } = request;
  const title = `${texts.request} ${request.request_id}`;
  return (
    <Page
      title={title}
      heading={<span className="break-all">{title}</span>}
      badges={<CopyButton text={request.request_id} what={texts.id} />}
      trail={<TrailLink to={`${base}/requests`} label={t.common.requests} />}
      actions={<CopyAll request={request} />}
    >
      <Panel>
        <Facts>
          <Fact label={texts.at}>
            <AnswerTime at={request.at} />
            <span className="block font-mono text-xs text-muted">{request.at}</span>
          </Fact>
          <Fact label={texts.status}>
            <StatusBadge status={request.status} />
          </Fact>
          {problem !== null && (
            <Fact label={texts.problem}>
              <a href={`/errors/${problem}`} className="text-accent-strong hover:underline">
                {problem}
              </a>
            </Fact>
          )}
          <Fact label={texts.duration}>{`${format.number(request.duration_ms)} ms`}</Fact>
          <Fact label={texts.caller}>
            <span className="grid grid-cols-[minmax(0,1fr)] justify-items-start">
              <Link to={`${base}/requests`} search={{ caller }} className="hover:underline">
                {caller_name ?? texts.sameCaller}
              </Link>
              <Code text={caller} />
            </span>
          </Fact>
          <Fact label={texts.route}>
            {route === null ? (
              <span className="text-muted">{texts.noRoute}</span>
            ) : (
              <Link
                to={`${base}/requests`}
                search={{ route }}
                title={texts.sameRoute}
                className="font-mono text-[0.92em] break-all hover:underline"
              >
                {route}
              </Link>
            )}
          </Fact>
          <Fact label={texts.address}>{request.address}</Fact>
          {user_agent !== null && <Fact label={texts.userAgent}>{user_agent}</Fact>}
        </Facts>
      </Panel>
      <Panel title={texts.path}>
        <code className="font-mono text-sm break-all">{`${request.method} ${request.path}`}</code>
      </Panel>
    </Page>
  );
}

/** Copies the request as the API shows it. */
function CopyAll({ request }: { request: LoggedRequest }) {
  const { t } = useI18n();
  const texts = useRequestTexts();
  const { isCopied, copy } = useCopy(JSON.stringify(request, null, 2));
  return <Button onClick={copy}>{isCopied ? t.common.copied : texts.copyAll}</Button>;
}
