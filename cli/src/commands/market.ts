import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { operatorEndpoints as api, type Offer, OfferUpdate, type OperatorAsset } from '@saldo/api';
import { dayOf } from '@saldo/core/delivery-day.ts';
import { type Command, InvalidArgumentError } from 'commander';
import { addFields, readBody, readFields } from '../fields.ts';
import type { Session } from '../session.ts';
import { tableOf } from '../tables.ts';
import { harmless } from '../terminal.ts';
import { UsageError } from '../usage.ts';
import { addExamples, addList, doing, type OpenSession, showing } from './command.ts';

export function addMarketCommands(program: Command, open: OpenSession): void {
  addAssets(program, open);
  addDemands(program, open);
}

const pricesOf = ({ pricing }: Offer) =>
  pricing.map(({ years, price }) => `${years} y ${price.toFixed(2)}`).join(', ');

function addAssets(program: Command, open: OpenSession): void {
  const assets = program.command('assets').description('plants that contracts deliver from');
  addList(assets, open, {
    endpoint: api.listAssets,
    about: 'list assets, oldest first',
    examples: ['assets list --technology solar', 'assets list --offered --all'],
    columns: [
      ['ID', ({ id }) => id],
      ['NAME', ({ name }) => name],
      ['TECHNOLOGY', ({ technology }) => technology],
      ['MW', ({ nominal_power }) => nominal_power],
      ['TSO', ({ tso }) => tso],
      ['OFFERED', ({ offer }) => offer && `${offer.country}, ${pricesOf(offer)}`],
    ],
    from: (client) => client.assets,
  });
  const create = assets.command('create').description('register an asset');
  addFields(create, api.createAsset.body, { except: ['offer'] });
  addExamples(
    create,
    "assets create --name 'Windpark Uckermark Nord' --technology wind_onshore --nominal-power 48.3 --tso DE_50HERTZ",
  ).action(
    showing(open, 'operator', (client) => client.assets.create(readBody(create, api.createAsset)), showAsset),
  );
  const show = assets.command('show <asset>').description('show an asset');
  addExamples(show, 'assets show ast_01jhm3w8v5e2ntq0v9bgr4kx7c').action(
    showing(open, 'operator', (client, id) => client.assets.get(id), showAsset),
  );
  addOffers(assets, open);
  const update = assets.command('update <asset>').description('change an asset');
  addFields(update, api.updateAsset.body, { except: ['offer'] });
  addExamples(update, 'assets update ast_01jhm3w8v5e2ntq0v9bgr4kx7c --nominal-power 50.4').action(
    doing(open, async (session, { args: [id = ''] }) => {
      const change = readFields(update, api.updateAsset.body);
      if (Object.keys(change).length === 0) throw new UsageError('give at least one change; see --help');
      await showAsset(session, await (await session.operator()).assets.update(id, change));
    }),
  );
}

/** Prints the asset line by line, and its prices as a table. */
async function showAsset(session: Session, asset: OperatorAsset): Promise<void> {
  await session.show(asset);
  if (session.format !== 'text' || asset.offer === null) return;
  const table = tableOf(
    asset.offer.pricing,
    [
      ['YEARS', ({ years }) => years],
      ['EUR/MWH', ({ price }) => price.toFixed(2), 'right'],
    ],
    session.style,
  );
  await session.print(`\n${table}`);
}

type Ladder = Offer['pricing'];

/** Collects repeated options such as `10=58.5`. */
function priceOf(text: string, earlier: Ladder = []): Ladder {
  const [, years, price] = /^(\d+)=(\d+(?:\.\d+)?)$/.exec(text) ?? [];
  if (years === undefined || price === undefined) {
    throw new InvalidArgumentError('It must be written as years=price, such as 10=58.5.');
  }
  return [...earlier, { years: Number(years), price: Number(price) }];
}

function addOffers(assets: Command, open: OpenSession): void {
  const offer = assets
    .command('offer <asset>')
    .description('offer an asset in the customer API, or change its offer');
  addFields(offer, OfferUpdate, { except: ['pricing'] });
  offer.option('--price <years=price...>', 'EUR/MWh for this duration; all durations together', priceOf);
  addExamples(
    offer,
    'assets offer ast_… --ppa-type PAY_AS_PRODUCED --delivery-start 2027-01-01T00:00:00Z --country DE --price 5=61 10=58.5',
    'assets offer ast_… --price 5=60 10=57.5 15=55',
  ).action(
    doing(open, async (session, { args: [id = ''] }) => {
      const { price } = offer.opts<{ price?: Ladder }>();
      const change = {
        ...readFields(offer, OfferUpdate),
        ...(price === undefined ? {} : { pricing: price }),
      };
      if (Object.keys(change).length === 0) throw new UsageError('give at least one change; see --help');
      await showAsset(session, await (await session.operator()).assets.update(id, { offer: change }));
    }),
  );
  const withdraw = assets.command('withdraw <asset>').description('withdraw the offer of an asset');
  addExamples(withdraw, 'assets withdraw ast_01jhm3w8v5e2ntq0v9bgr4kx7c').action(
    showing(open, 'operator', (client, id) => client.assets.update(id, { offer: null }), showAsset),
  );
  const cover = assets
    .command('cover <file>')
    .description('upload a cover image: PNG, JPEG or WebP, at most 5 MB')
    .option('--asset <asset>', 'show it with the offer of this asset');
  addExamples(cover, 'assets cover uckermark.jpg --asset ast_01jhm3w8v5e2ntq0v9bgr4kx7c').action(
    doing(open, async (session, { args: [file = ''] }) => {
      const { asset } = cover.opts<{ asset?: string }>();
      const image = await readFile(path.resolve(session.terminal.cwd, file)).catch((error: Error) => {
        throw new UsageError(`${file} cannot be read: ${error.message}`);
      });
      const client = await session.operator();
      const stored = await client.assets.uploadCover(image);
      if (asset === undefined) return session.show(stored);
      const offered = await client.assets.update(asset, { offer: { cover_url: stored.cover_url } });
      await showAsset(session, offered);
    }),
  );
}

function addDemands(program: Command, open: OpenSession): void {
  const demands = program.command('demands').description('demands of buyers in the customer API');
  addList(demands, open, {
    endpoint: api.listDemands,
    about: 'list demands, oldest first',
    examples: ['demands list', 'demands list --country DE --all'],
    columns: [
      ['ID', ({ id }) => id],
      ['COUNTRY', ({ country }) => country],
      ['STATE', ({ state }) => state],
      ['YEARS', ({ contract_period }) => contract_period],
      ['MWH/A', ({ delivery_volume }) => delivery_volume],
      ['FROM', ({ delivery_start }) => delivery_start && dayOf(Date.parse(delivery_start))],
    ],
    from: (client) => client.demands,
  });
  const create = demands.command('create').description('publish a demand');
  addFields(create, api.createDemand.body);
  addExamples(
    create,
    'demands create --contract-period 10 --delivery-volume 24000 --country DE --state Hessen --delivery-start 2027-01-01T00:00:00Z',
  ).action(showing(open, 'operator', (client) => client.demands.create(readBody(create, api.createDemand))));
  const show = demands.command('show <demand>').description('show a demand');
  addExamples(show, 'demands show dem_01jhm3wc4re8zs7k1y5vn2dq9f').action(
    showing(open, 'operator', (client, id) => client.demands.get(id)),
  );
  const update = demands.command('update <demand>').description('change a demand');
  addFields(update, api.updateDemand.body);
  addExamples(update, 'demands update dem_01jhm3wc4re8zs7k1y5vn2dq9f --delivery-volume 20000').action(
    doing(open, async (session, { args: [id = ''] }) => {
      const change = readFields(update, api.updateDemand.body);
      if (Object.keys(change).length === 0) throw new UsageError('give at least one change; see --help');
      await session.show(await (await session.operator()).demands.update(id, change));
    }),
  );
  const remove = demands.command('delete <demand>').description('delete a demand');
  addExamples(remove, 'demands delete dem_01jhm3wc4re8zs7k1y5vn2dq9f').action(
    doing(open, async (session, { args: [id = ''] }) => {
      await (await session.operator()).demands.delete(id);
      session.note(`${harmless(id)} is deleted.`);
    }),
  );
}
