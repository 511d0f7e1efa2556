import { INQUIRY_STATUSES, type Inquiry, LIMITS } from '@saldo/api';
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useI18n } from '../i18n/i18n.tsx';
import { operatorClient } from '../session/operator-client.ts';
import { useFilters } from '../ui/address.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { FilterBar, SelectFilter } from '../ui/filters.tsx';
import { Form, FormButtons, TextAreaField } from '../ui/form.tsx';
import { Page } from '../ui/page.tsx';
import { EmptyState } from '../ui/states.tsx';
import { useToast } from '../ui/toast.tsx';
import { useIsMounted } from '../ui/use-is-mounted.ts';
import { InquiryList } from './inquiry-card.tsx';
import { INQUIRY_TEXTS } from './inquiry-texts.ts';
import { readInquiryFilters } from './operator-filters.ts';
import { assetQuery, inquiryListQuery } from './operator-queries.ts';

/** Inquiries of account holders, to be answered. */
export function OperatorInquiriesPage() {
  const { format } = useI18n();
  const texts = INQUIRY_TEXTS[format.language];
  const { filters, set, clear, isFiltered } = useFilters(readInquiryFilters);
  const query = useInfiniteQuery(inquiryListQuery(filters));
  const [answering, setAnswering] = useState<Inquiry | null>(null);
  return (
    <Page title={texts.title} text={texts.operatorText}>
      <FilterBar isFiltered={isFiltered} onClear={clear}>
        <SelectFilter
          label={texts.status}
          value={filters.status}
          options={INQUIRY_STATUSES.map((value) => ({ value, label: texts.statuses[value] }))}
          onChange={(status) => set({ status })}
        />
      </FilterBar>
      <InquiryList
        query={query}
        empty={<EmptyState title={texts.empty} text={texts.operatorEmptyText} />}
        cardOf={(inquiry) => ({
          about: <About inquiry={inquiry} />,
          from: `${inquiry.account.name}, ${inquiry.user.name} (${inquiry.user.email})`,
          actions: (
            <Button
              variant={inquiry.status === 'open' ? 'primary' : 'secondary'}
              onClick={() => setAnswering(inquiry)}
            >
              {inquiry.status === 'open' ? texts.answer : texts.answerAgain}
            </Button>
          ),
        })}
      />
      {answering && <AnswerDialog inquiry={answering} onClose={() => setAnswering(null)} />}
    </Page>
  );
}

function About({ inquiry: { asset_id: assetId } }: { inquiry: Inquiry }) {
  const { format } = useI18n();
  const { data } = useQuery({ ...assetQuery(assetId ?? ''), enabled: assetId !== null });
  if (assetId === null)
    return (
      <Link to="/operator/demands" className="hover:underline">
        {INQUIRY_TEXTS[format.language].demand}
      </Link>
    );
  return (
    <Link to="/operator/assets/$assetId" params={{ assetId }} className="font-medium hover:underline">
      {data?.record.name ?? assetId}
    </Link>
  );
}

const ANSWER_ROWS = 8;

type Answer = { readonly id: string; readonly answer: string };

function AnswerDialog({ inquiry, onClose }: { inquiry: Inquiry; onClose: () => void }) {
  const { format } = useI18n();
  const texts = INQUIRY_TEXTS[format.language];
  const toast = useToast();
  const isMounted = useIsMounted();
  const queryClient = useQueryClient();
  const [answer, setAnswer] = useState(inquiry.answer ?? '');
  const send = useMutation({
    mutationFn: ({ id, answer: text }: Answer) => operatorClient.inquiries.answer(id, { answer: text }),
    onSuccess: async () => {
      toast(texts.answered);
      await queryClient.invalidateQueries({ queryKey: ['inquiries'] });
      if (isMounted()) onClose();
    },
  });
  return (
    <Dialog title={texts.answer} onClose={onClose}>
      <Form error={send.error} fields={['answer']} onSubmit={() => send.mutate({ id: inquiry.id, answer })}>
        <p className="max-h-40 overflow-y-auto text-sm break-words whitespace-pre-line text-muted">
          {inquiry.message}
        </p>
        <TextAreaField
          name="answer"
          label={texts.answerLabel}
          rows={ANSWER_ROWS}
          maxLength={LIMITS.inquiryLength}
          value={answer}
          onChange={setAnswer}
        />
        <FormButtons
          action={texts.send}
          isBusy={send.isPending}
          disabled={answer.trim() === ''}
          onClose={onClose}
        />
      </Form>
    </Dialog>
  );
}
