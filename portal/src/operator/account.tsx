export const AccountPage = () => null;
