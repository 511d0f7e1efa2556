export const schedule = {
  check: { title: 'Check schedule' },
};
