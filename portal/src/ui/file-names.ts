export const isNdjson = ({ name }: File): boolean => /\.(?:ndjson|jsonl)(?:\.gz)?$/i.test(name);
export const isGzip = ({ name }: File): boolean => /\.gz$/i.test(name);
