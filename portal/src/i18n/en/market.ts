export const market = {
  nav: {
    home: 'Market',
    offers: 'Offers',
    demands: 'Demands',
    inquiries: 'Inquiries',
    keys: 'API keys',
    assets: 'Assets',
  },
  keysText: 'With a key your systems read offers and demands. A key is shown once, when it is made.',
};
