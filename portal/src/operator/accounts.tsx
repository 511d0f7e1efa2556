export const AccountsPage = () => null;
