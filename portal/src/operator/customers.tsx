export const CustomersPage = () => null;
