import { runShard } from './run-shard.ts';

runShard(import.meta.url);
