export const attention = {
  nothing: 'Nothing needs attention',
  nothingText: 'Everything that is due has been sent and matched, and no customer waits.',
  deadline: 'Gate',
  changeable: (open: number, all: number) => `${open} of ${all} quarter-hours can still be changed.`,
  onlyWithinArea:
    'All quarter-hours have closed: until the day-after gate, changes are possible within one control area only.',
  waiting: (time: string) => `Wait phase: TSOs process changes from ${time} on`,
  kinds: {
    mismatch: 'Mismatch',
    unsent: 'Not sent',
    unanswered: 'No answer',
    volumes: 'No volumes',
    customers: 'Waiting',
  },
  nominations: (count: number) => (count === 1 ? '1 nomination' : `${count} nominations`),
  contracts: (count: number) => (count === 1 ? '1 contract' : `${count} contracts`),
  customers: (count: number) => (count === 1 ? '1 customer' : `${count} customers`),
  settled: 'All gates are closed: the difference is settled financially.',
  brpSteps: {
    mismatch: 'Compare both sides, and correct your schedule before the gate.',
    unsent: 'The operator sends it before the gate. Check your own schedule against it.',
    unanswered: 'It was sent, and the TSO has not confirmed it. Ask the operator.',
    volumes: 'Ask the operator for the volumes.',
    customers: 'Activate the customers that are yours.',
  },
  operatorSteps: {
    mismatch: 'Look at both sides, and agree on a correction with the BRP before the gate.',
    unsent: 'Schedules are sent automatically. Look at the exchange for what prevents it.',
    unanswered: 'It was sent, and the TSO has not confirmed it. Request the answer again.',
    volumes: 'Import the volumes before the gate.',
    customers: 'Their BRP has to activate them.',
  },
};
