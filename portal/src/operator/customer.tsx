export const CustomerPage = () => null;
