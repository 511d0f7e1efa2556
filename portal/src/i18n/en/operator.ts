export const operator = {
  nav: {
    home: 'Overview',
    nominations: 'Nominations',
    contracts: 'Contracts',
    import: 'Volume import',
    brps: 'BRPs',
    groups: 'Balance groups',
    customers: 'Customers',
    accounts: 'Accounts',
    users: 'Users',
    keys: 'API keys',
    audit: 'Audit trail',
  },
};
