/**
 * Alternative (b): an API that PostGraphile generates from the rows and from two functions with the tenant condition.
 */
import { createServer } from 'node:http';
import { postgraphile } from 'postgraphile';
import { makePgService } from 'postgraphile/adaptors/pg';
import { grafserv } from 'postgraphile/grafserv/node';
import { PostGraphileAmberPreset } from 'postgraphile/presets/amber';

const instance = postgraphile({
  extends: [PostGraphileAmberPreset],
  pgServices: [makePgService({ connectionString: process.env['DATABASE_URL'] ?? '', schemas: ['rival'] })],
  grafserv: { graphqlPath: '/graphql', graphiql: false, watch: false },
  // Disable query explanations and timings, which are for development.
  grafast: { explain: false },
});

const server = createServer();
await instance.createServ(grafserv).addTo(server);
server.listen(Number(process.env['PORT']), '127.0.0.1');
