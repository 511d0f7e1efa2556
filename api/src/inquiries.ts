import Type, { type Static } from 'typebox';
import { Choice, DateTime, LIMITS, Nullable, Page, pageQuery, paginationExample, Strict } from './common.ts';
import { endpoint, endpoints } from './endpoint.ts';

export const INQUIRY_STATUSES = ['open', 'answered', 'closed'] as const;
export type InquiryStatus = (typeof INQUIRY_STATUSES)[number];

const ASSET_ID = 'ast_01jhm3w8v5e2ntq0v9bgr4kx7c';

export const Inquiry = Type.Object(
  {
    id: Type.String({ examples: ['inq_01jhm3wc4re8zs7k1y5vn2dq9f'] }),
    status: Choice(INQUIRY_STATUSES, {
      description: '`open` until the operator has answered; `closed` when the account has withdrawn it.',
    }),
    account: Type.Object(
      { id: Type.String(), name: Type.String() },
      { title: 'InquiryAccount', description: 'The account that asks.' },
    ),
    user: Type.Object(
      { name: Type.String(), email: Type.String() },
      { title: 'InquiryUser', description: 'The user who asked.' },
    ),
    asset_id: Nullable(Type.String({ description: 'The offer that it is about.' })),
    demand_id: Nullable(Type.String({ description: 'The demand that it is about.' })),
    message: Type.String({ description: 'What the account holder has written.' }),
    answer: Nullable(Type.String({ description: 'The operator’s answer.' })),
    answered_at: Nullable(DateTime('When the operator answered.')),
    created_at: DateTime('When it was sent.'),
  },
  { title: 'Inquiry' },
);
export type Inquiry = Static<typeof Inquiry>;

const Text = (description: string, example: string) =>
  Type.String({
    minLength: 1,
    maxLength: LIMITS.inquiryLength,
    pattern: '\\S',
    description,
    examples: [example],
  });

export const InquiryCreate = Strict(
  {
    asset_id: Type.Optional(
      Type.String({ description: 'The offer. Exactly one of both is given.', examples: [ASSET_ID] }),
    ),
    demand_id: Type.Optional(
      Type.String({ description: 'The demand.', examples: ['dem_01jhm3wc4re8zs7k1y5vn2dq9f'] }),
    ),
    message: Text('What the operator should know.', 'Is a term of seven years possible?'),
  },
  { title: 'InquiryCreate' },
);
export type InquiryCreate = Static<typeof InquiryCreate>;

export const inquiryExample: Inquiry = {
  id: 'inq_01jhm3wc4re8zs7k1y5vn2dq9f',
  status: 'answered',
  account: { id: 'acc_01jhm3vq8ne0grs4f5c3hxkz2b', name: 'Gießerei Sauerland' },
  user: { name: 'Jonas Weber', email: 'jonas.weber@giesserei.example' },
  asset_id: ASSET_ID,
  demand_id: null,
  message: 'Is a term of seven years possible?',
  answer: 'Yes, at the price of five years.',
  answered_at: '2026-10-20T09:30:00Z',
  created_at: '2026-10-20T08:00:00Z',
};
const openExample: Inquiry = { ...inquiryExample, status: 'open', answer: null, answered_at: null };

const readProblems = ['invalid_session', 'insufficient_permissions'] as const;
const changeProblems = [...readProblems, 'foreign_origin'] as const;
const path = '/portal/v1/inquiries';

/** For users of an account. */
export const portalInquiryEndpoints = endpoints('Market', {
  createInquiry: endpoint({
    method: 'POST',
    path,
    summary: 'Ask about an offer or a demand',
    description: `The operator sees the inquiry and answers it. An account has at most ${LIMITS.openInquiries} open ones.`,
    status: 201,
    body: InquiryCreate,
    response: Inquiry,
    problems: [...changeProblems, 'asset_not_found', 'demand_not_found', 'too_many_inquiries'],
    example: { request: { asset_id: ASSET_ID, message: inquiryExample.message }, response: openExample },
  }),
  listOwnInquiries: endpoint({
    method: 'GET',
    path,
    summary: 'List the own inquiries',
    description: 'All inquiries of the account, newest first.',
    query: Strict(pageQuery),
    response: Page('inquiries', Inquiry, 'OwnInquiryList'),
    problems: readProblems,
    example: { response: { inquiries: [inquiryExample], pagination: paginationExample } },
  }),
  closeInquiry: endpoint({
    method: 'POST',
    path: `${path}/{inquiry_id}/close`,
    summary: 'Close an inquiry',
    description: 'Withdraws an open inquiry, or puts an answered one aside.',
    response: Inquiry,
    problems: [...changeProblems, 'inquiry_not_found', 'invalid_status_transition'],
    example: { response: { ...inquiryExample, status: 'closed' } },
  }),
  listWatchedOffers: endpoint({
    method: 'GET',
    path: '/portal/v1/watched-offers',
    summary: 'List the watched offers',
    description: 'The offers that the user watches. One that was withdrawn is not listed.',
    response: Type.Object(
      { asset_ids: Type.Array(Type.String(), { description: 'Newest first.' }) },
      { title: 'WatchedOffers' },
    ),
    problems: readProblems,
    example: { response: { asset_ids: [ASSET_ID] } },
  }),
  watchOffer: endpoint({
    method: 'PUT',
    path: '/portal/v1/watched-offers/{asset_id}',
    summary: 'Watch an offer',
    description: 'Adds an offer to the watch list of the user. Repeating it changes nothing.',
    status: 204,
    response: Type.Null(),
    problems: [...changeProblems, 'asset_not_found'],
    example: { response: null },
  }),
  unwatchOffer: endpoint({
    method: 'DELETE',
    path: '/portal/v1/watched-offers/{asset_id}',
    summary: 'Stop watching an offer',
    description: 'Removes an offer from the watch list of the user. Repeating it changes nothing.',
    status: 204,
    response: Type.Null(),
    problems: changeProblems,
    example: { response: null },
  }),
});

export const operatorInquiryEndpoints = endpoints('Inquiries', {
  listInquiries: endpoint({
    method: 'GET',
    path: '/operator/v1/inquiries',
    summary: 'List inquiries',
    description: 'Inquiries of account holders about offers and demands, newest first.',
    scopes: ['read'],
    query: Strict({
      status: Type.Optional(
        Choice(INQUIRY_STATUSES, { description: 'Only inquiries of this status.', examples: ['open'] }),
      ),
      ...pageQuery,
    }),
    response: Page('inquiries', Inquiry, 'InquiryList'),
    example: { response: { inquiries: [inquiryExample], pagination: paginationExample } },
  }),
  answerInquiry: endpoint({
    method: 'POST',
    path: '/operator/v1/inquiries/{inquiry_id}/answer',
    summary: 'Answer an inquiry',
    description:
      'The account sees the answer. A later answer replaces it; a closed inquiry cannot be answered.',
    scopes: ['market:write'],
    body: Strict(
      { answer: Text('The answer.', 'Yes, at the price of five years.') },
      { title: 'InquiryAnswer' },
    ),
    response: Inquiry,
    problems: ['inquiry_not_found', 'invalid_status_transition'],
    example: { request: { answer: inquiryExample.answer }, response: inquiryExample },
  }),
});
