import type { Inquiry } from '@saldo/api';
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useI18n } from '../i18n/i18n.tsx';
import { portalClient } from '../session/clients.ts';
import { Button, buttonClass } from '../ui/button.tsx';
import { Page } from '../ui/page.tsx';
import { EmptyState, ErrorState } from '../ui/states.tsx';
import { useToast } from '../ui/toast.tsx';
import { InquiryList } from './inquiry-card.tsx';
import { INQUIRY_TEXTS } from './inquiry-texts.ts';
import { OWN_INQUIRIES, offersQuery, ownInquiriesQuery } from './queries.ts';

/** The inquiries of the account. */
export function InquiriesPage() {
  const { format } = useI18n();
  const texts = INQUIRY_TEXTS[format.language];
  const toast = useToast();
  const query = useInfiniteQuery(ownInquiriesQuery);
  const queryClient = useQueryClient();
  const close = useMutation({
    mutationFn: (id: string) => portalClient.inquiries.close(id),
    onSuccess: async () => {
      toast(texts.closed);
      await queryClient.invalidateQueries({ queryKey: OWN_INQUIRIES });
    },
  });
  return (
    <Page title={texts.title} text={texts.text}>
      {close.error && <ErrorState error={close.error} />}
      <InquiryList
        query={query}
        empty={
          <EmptyState
            title={texts.empty}
            text={texts.emptyText}
            action={
              <Link to="/offers" className={buttonClass()}>
                {texts.toOffers}
              </Link>
            }
          />
        }
        cardOf={(inquiry) => ({
          about: <About inquiry={inquiry} />,
          actions: (
            <Button disabled={close.isPending} onClick={() => close.mutate(inquiry.id)}>
              {texts.close}
            </Button>
          ),
        })}
      />
    </Page>
  );
}

function About({ inquiry: { asset_id: assetId } }: { inquiry: Inquiry }) {
  const { format } = useI18n();
  const texts = INQUIRY_TEXTS[format.language];
  const { data } = useQuery(offersQuery);
  if (assetId === null)
    return (
      <Link to="/demands" className="hover:underline">
        {texts.demand}
      </Link>
    );
  const offer = data?.records.find(({ id }) => id === assetId);
  if (offer === undefined) return texts.gone;
  return (
    <Link to="/offers/$assetId" params={{ assetId }} className="font-medium hover:underline">
      {offer.name}
    </Link>
  );
}
