export { type Client, type ClientOptions, createClient, type Input } from './client.ts';
export { SaldoProblem } from './problem.ts';
