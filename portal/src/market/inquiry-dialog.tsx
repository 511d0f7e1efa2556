import { type InquiryCreate, LIMITS, type MarketAsset, type MarketDemand } from '@saldo/api';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useI18n } from '../i18n/i18n.tsx';
import { portalClient } from '../session/clients.ts';
import { useSession } from '../session/session.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Form, FormButtons, SelectField, TextAreaField } from '../ui/form.tsx';
import { useToast } from '../ui/toast.tsx';
import { useIsMounted } from '../ui/use-is-mounted.ts';
import { INQUIRY_TEXTS } from './inquiry-texts.ts';
import { usePlace } from './offer-facts.tsx';
import { OWN_INQUIRIES } from './queries.ts';
import { MARKET_TEXTS } from './texts.ts';

const MESSAGE_ROWS = 14;

type About = { readonly asset_id: string } | { readonly demand_id: string };

type DialogProps = {
  about: About;
  message: string;
  onMessage: (message: string) => void;
  onClose: () => void;
  children?: ReactNode;
};

/** A message about an offer or a demand, which the operator answers. */
function InquiryDialog({ about, message, onMessage, onClose, children }: DialogProps) {
  const { format } = useI18n();
  const texts = INQUIRY_TEXTS[format.language];
  const toast = useToast();
  const isMounted = useIsMounted();
  const queryClient = useQueryClient();
  const send = useMutation({
    mutationFn: (inquiry: InquiryCreate) => portalClient.inquiries.create(inquiry),
    onSuccess: async () => {
      toast(texts.sent);
      await queryClient.invalidateQueries({ queryKey: OWN_INQUIRIES });
      if (isMounted()) onClose();
    },
  });
  return (
    <Dialog title={texts.ask} onClose={onClose}>
      <Form error={send.error} fields={['message']} onSubmit={() => send.mutate({ ...about, message })}>
        <p className="text-sm text-muted">{texts.dialogText}</p>
        {children}
        <TextAreaField
          name="message"
          label={MARKET_TEXTS[format.language].contact.messageLabel}
          rows={MESSAGE_ROWS}
          maxLength={LIMITS.inquiryLength}
          value={message}
          onChange={onMessage}
        />
        <FormButtons
          action={texts.send}
          isBusy={send.isPending}
          disabled={message.trim() === ''}
          onClose={onClose}
        />
      </Form>
    </Dialog>
  );
}

/** The name, account and address of the user, as the end of a message. */
function useSender(): string {
  const { user } = useSession();
  return [user.name, user.account?.name, user.email].filter(Boolean).join('\n');
}

export function OfferInquiry({ offer, onClose }: { offer: MarketAsset; onClose: () => void }) {
  const { format } = useI18n();
  const market = MARKET_TEXTS[format.language];
  const texts = market.contact;
  const place = usePlace();
  const sender = useSender();
  const terms = offer.pricing.map(({ years, price }) => ({
    years: String(years),
    text: texts.term(market.years(years), format.price(price)),
  }));
  const [years, setYears] = useState(terms[0]?.years ?? '');
  const termOf = (wanted: string) => terms.find((term) => term.years === wanted)?.text ?? texts.openTerm;
  const [message, setMessage] = useState(() =>
    texts.message({
      plant: `${offer.name}, ${place(offer)} (${offer.id})`,
      kind: `${format.number(offer.nominalPower)} MW ${market.assetTypes[offer.assetType]}, ${market.ppaTypes[offer.ppaType]}`,
      start: format.date(offer.deliveryStart),
      term: termOf(years),
      sender,
    }),
  );
  return (
    <InquiryDialog about={{ asset_id: offer.id }} message={message} onMessage={setMessage} onClose={onClose}>
      {terms.length > 0 && (
        <SelectField
          name="years"
          label={market.duration}
          value={years}
          options={terms.map((term) => ({ value: term.years, label: term.text }))}
          onChange={(chosen) => {
            // Only this line, so that edits of the others are kept.
            setMessage(message.replace(termOf(years), termOf(chosen)));
            setYears(chosen);
          }}
        />
      )}
    </InquiryDialog>
  );
}

export function DemandInquiry({ demand, onClose }: { demand: MarketDemand; onClose: () => void }) {
  const { format } = useI18n();
  const sender = useSender();
  const [message, setMessage] = useState(() => {
    const place = [demand.state, format.country(demand.country)].filter(Boolean).join(', ');
    const volume = `${format.number(demand.deliveryVolume)} MWh`;
    return `${INQUIRY_TEXTS[format.language].demandMessage(volume, place)}\n${sender}`;
  });
  return (
    <InquiryDialog
      about={{ demand_id: demand.id }}
      message={message}
      onMessage={setMessage}
      onClose={onClose}
    />
  );
}
