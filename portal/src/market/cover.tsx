import type { AssetType } from '@saldo/api';
import { useState } from 'react';
import { cx } from '../ui/cx.ts';
import { Icon } from '../ui/icons.tsx';

type Props = { url: string | null; assetType: AssetType };

/** A plant's cover image; if it is missing or does not load, a drawing of its technology. */
export function Cover({ url, assetType }: Props) {
  const [failed, setFailed] = useState<string | null>(null);
  const isShown = url !== null && url !== failed;
  return (
    <div
      className={cx(
        'grid aspect-[16/9] place-items-center overflow-hidden',
        assetType === 'WIND' ? 'bg-out-soft text-out' : 'bg-in-soft text-in',
      )}
    >
      {isShown ? (
        <img
          src={url}
          alt=""
          loading="lazy"
          decoding="async"
          referrerPolicy="no-referrer"
          className="size-full object-cover"
          onError={() => setFailed(url)}
        />
      ) : (
        <Icon name={assetType === 'WIND' ? 'wind' : 'sun'} className="size-16 opacity-60" />
      )}
    </div>
  );
}
