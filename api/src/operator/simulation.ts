import Type from 'typebox';
import { Choice, Eic, Strict } from '../common.ts';
import { endpoint, endpoints } from '../endpoint.ts';
import { EXCHANGE_TAG, Message } from './message.ts';

export const SIMULATED_ANSWERS = ['match', 'mismatch', 'rejection'] as const;
export type SimulatedAnswer = (typeof SIMULATED_ANSWERS)[number];

/** Available only with a demo world or in a sandbox. */
export const simulationEndpoints = endpoints(EXCHANGE_TAG, {
  simulateAnswer: endpoint({
    method: 'POST',
    path: '/operator/v1/messages/{message_id}/simulated-answer',
    summary: 'Simulate the TSO’s answer',
    description:
      'The simulated TSO answers a schedule at once: it acknowledges and finally confirms it, with other amounts for `mismatch`, or rejects it. The answers are received like those of a TSO. Only with a demo world or in a sandbox.',
    scopes: ['exchange:write'],
    body: Strict(
      {
        answer: Choice(SIMULATED_ANSWERS, { description: 'How the TSO answers.', examples: ['mismatch'] }),
        eic: Type.Optional(
          Eic(
            'Only for `mismatch`: the balance group whose amounts differ, one with energy in the schedule. By default the first.',
          ),
        ),
      },
      { title: 'SimulatedAnswer' },
    ),
    response: Type.Object(
      { messages: Type.Array(Message, { description: 'The answers in their order.' }) },
      { title: 'SimulatedAnswers' },
    ),
    problems: ['message_not_found'],
    example: { request: { answer: 'match' }, response: { messages: [] } },
  }),
});
