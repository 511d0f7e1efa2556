import { LIMITS, type MarketAsset } from '@saldo/api';
import { useState } from 'react';
import { useI18n } from '../i18n/i18n.tsx';
import { useSession } from '../session/session.ts';
import { Button, buttonClass } from '../ui/button.tsx';
import { useCopy } from '../ui/copy.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { SelectField, TextAreaField } from '../ui/form.tsx';
import { Icon } from '../ui/icons.tsx';
import { usePlace } from './offer-facts.tsx';
import { MARKET_TEXTS } from './texts.ts';

/** Mail programs expect CRLF. */
const mailto = (subject: string, body: string) =>
  `mailto:?subject=${encodeURIComponent(subject)}&body=${encodeURIComponent(body.replaceAll('\n', '\r\n'))}`;

const MESSAGE_ROWS = 16;

type Props = { offer: MarketAsset; onClose: () => void };

/** A prepared message about an offer, to be sent by mail or copied. */
export function ContactDialog({ offer, onClose }: Props) {
  const { t, format } = useI18n();
  const texts = MARKET_TEXTS[format.language].contact;
  const { user } = useSession();
  const place = usePlace();
  const terms = offer.pricing.map(({ years, price }) => ({
    years: String(years),
    text: texts.term(MARKET_TEXTS[format.language].years(years), format.price(price)),
  }));
  const [years, setYears] = useState(terms[0]?.years ?? '');
  const termOf = (wanted: string) => terms.find((term) => term.years === wanted)?.text ?? texts.openTerm;
  const subject = texts.subject(offer.name);
  const [message, setMessage] = useState(() =>
    texts.message({
      plant: `${offer.name}, ${place(offer)} (${offer.id})`,
      kind: `${format.number(offer.nominalPower)} MW ${MARKET_TEXTS[format.language].assetTypes[offer.assetType]}, ${MARKET_TEXTS[format.language].ppaTypes[offer.ppaType]}`,
      start: format.date(offer.deliveryStart),
      term: termOf(years),
      sender: [user.name, user.account?.name, user.email].filter(Boolean).join('\n'),
    }),
  );
  const { isCopied, copy } = useCopy(`${subject}\n\n${message}`);
  return (
    <Dialog title={texts.title} onClose={onClose}>
      <div className="grid gap-4">
        <p className="text-sm text-muted">{texts.text}</p>
        {terms.length > 0 && (
          <SelectField
            name="years"
            label={MARKET_TEXTS[format.language].duration}
            value={years}
            options={terms.map((term) => ({ value: term.years, label: term.text }))}
            onChange={(chosen) => {
              // Only this line, so that edits of the others are kept.
              setMessage(message.replace(termOf(years), termOf(chosen)));
              setYears(chosen);
            }}
          />
        )}
        <TextAreaField
          name="message"
          label={texts.messageLabel}
          rows={MESSAGE_ROWS}
          maxLength={LIMITS.additionalInfoLength}
          value={message}
          onChange={setMessage}
        />
        <div className="flex flex-wrap justify-end gap-2">
          <Button icon={isCopied ? 'check' : 'copy'} onClick={copy}>
            {isCopied ? t.common.copied : texts.copy}
          </Button>
          <a href={mailto(subject, message)} className={buttonClass('primary')}>
            <Icon name="mail" />
            {texts.mail}
          </a>
        </div>
      </div>
    </Dialog>
  );
}
