import type { OperatorContract } from '@saldo/api';
import type { DeliveryDay } from '@saldo/core/delivery-day.ts';
import { queryOptions } from '@tanstack/react-query';
import { allOf, firstOf } from '../session/lists.ts';
import { operatorClient } from '../session/operator-client.ts';
import { MAX_COUNTED } from './queries.ts';

const isSourced = (contract: OperatorContract): boolean => 'source' in contract && contract.source !== null;

/**
 * PPA contracts that deliver on a day but have no volume for its first quarter-hour: this reads one transaction per
 * contract instead of a whole day. Null if there are too many contracts even for that.
 */
export const contractsWithoutVolumesQuery = (day: DeliveryDay) =>
  queryOptions({
    queryKey: ['contracts', 'without-volumes', day],
    queryFn: async ({ signal }) => {
      const filter = { type: 'ppa', active_on: day } as const;
      const { records: contracts, hasMore } = await firstOf(
        operatorClient.contracts.each(filter, { signal }),
        MAX_COUNTED,
      );
      if (hasMore) return null;
      const firstSlots = { delivery_date: day, slot_number_from: 1, slot_number_to: 1 };
      const transactions = await allOf(operatorClient.transactions.each(firstSlots, { signal }));
      const known = new Set(transactions.map(({ contract_id }) => contract_id));
      // A contract without an end takes no volumes. That of a source takes no import: an alarm says when its values are due.
      return contracts.filter(
        (contract) => contract.delivery_end !== null && !known.has(contract.id) && !isSourced(contract),
      );
    },
  });
