import type { AssetType } from '@saldo/api';
import { useState } from 'react';
import { cx } from '../ui/cx.ts';
import { Icon } from '../ui/icons.tsx';

type Props = { url: string; assetType: AssetType };

/** A plant's cover. If it does not load, an icon of the technology. */
export function Cover({ url, assetType }: Props) {
  const [failed, setFailed] = useState<string | null>(null);
  return (
    <div
      className={cx(
        'grid aspect-[16/9] place-items-center overflow-hidden',
        assetType === 'WIND' ? 'bg-out-soft text-out' : 'bg-in-soft text-in',
      )}
    >
      {url === failed ? (
        <Icon name={assetType === 'WIND' ? 'wind' : 'sun'} className="size-16 opacity-60" />
      ) : (
        <img
          src={url}
          alt=""
          loading="lazy"
          decoding="async"
          referrerPolicy="no-referrer"
          className="size-full object-cover"
          onError={() => setFailed(url)}
        />
      )}
    </div>
  );
}
