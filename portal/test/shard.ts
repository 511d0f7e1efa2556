import { runFiles } from '../../server/test/shards/run-shard.ts';
import { shareBrowser } from './stage.ts';

await shareBrowser();
runFiles(import.meta.dirname);
